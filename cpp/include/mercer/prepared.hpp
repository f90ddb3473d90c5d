// Data made ready for a kernel once, and shared by all the problems on them.
#pragma once

#include "mercer/points.hpp"

namespace mercer {

// Throws std::overflow_error where a kernel value between rows as long as these does not fit T.
template <class T>
void check_range(const Kernel& kernel, const Points<T>& points);

template <class T>
struct Prepared {
  // Throws std::overflow_error where a value or a kernel value does not fit T. `X` outlives it.
  Prepared(const Kernel& kernel, const Matrix& X);

  Matrix X;
  Kernel unscaled;
  Frame frame;
  Kernel kernel;     // on data in the frame
  Layout centres;    // how centres are laid out where they are gathered
  Points<T> points;  // all rows of X, laid out for queries
};

}  // namespace mercer
