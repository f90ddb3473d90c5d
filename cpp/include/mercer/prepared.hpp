// Data made ready for a kernel once, and shared by all the problems on them.
#pragma once

#include <memory>

#include "mercer/points.hpp"

namespace mercer {

// Throws std::overflow_error where a kernel value between rows as long as these does not fit T.
template <class T>
void check_range(const Kernel& kernel, const Points<T>& points);

// All rows of X in a frame. `X` outlives them.
template <class T>
struct PreparedRows {
  // Throws std::overflow_error where a value does not fit T.
  PreparedRows(const Matrix& X, Frame frame);

  Matrix X;
  Frame frame;
  Layout centres;    // how centres are laid out where they are gathered
  Points<T> points;  // laid out for queries
};

// A kernel on prepared rows. Kernels that differ in gamma, in factors or in what is made of the same leaves share them.
template <class T>
struct Prepared {
  // On rows of its own. Throws std::overflow_error where a value or a kernel value does not fit T.
  Prepared(const Kernel& kernel, const Matrix& X);
  // On rows whose frame serves the kernel.
  Prepared(const Kernel& kernel, std::shared_ptr<const PreparedRows<T>> rows);

  std::shared_ptr<const PreparedRows<T>> rows;
  const Matrix& X;
  const Frame& frame;
  Layout centres;
  const Points<T>& points;
  Kernel unscaled;
  Kernel kernel;  // on data in the frame
};

}  // namespace mercer
