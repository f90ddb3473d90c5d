// Rows of data made ready for kernel evaluation: converted, centred, laid out for the tile loops.
#pragma once

#include <vector>

#include "mercer/buffer.hpp"
#include "mercer/frame.hpp"
#include "mercer/simd.hpp"

namespace mercer {

enum class Layout {
  panels,  // `lanes` rows interleaved, feature by feature: for the register-blocked loops
  rows,    // row-major: for the query side of a tile
  sparse,  // compressed rows
};

// Rows with a larger squared norm times gamma are far. The rounding of norms and dot products moves a kernel
// value by about this much times the precision.
template <class T>
inline constexpr double far_out = sizeof(T) == 4 ? 256.0 : 1e5;

// How centres are laid out: sparse stays sparse, dense data stand in panels.
Layout layout_for(const Matrix& X);
// How queries are laid out against centres of a layout.
inline Layout query_layout(Layout centres) { return centres == Layout::sparse ? Layout::sparse : Layout::rows; }

// A row whose features stand `stride` apart.
template <class T>
struct Strided {
  T* data;
  Index stride;
};

template <class T>
class Points {
 public:
  Points() = default;
  // The given rows of X (all where `rows` is null), in the given order. Throws std::overflow_error where a value does
  // not fit T, or a squared norm of sparse rows does not.
  Points(const Matrix& X, const std::vector<Index>* rows, const Frame& frame, Layout layout);
  // Rows first..last of X.
  static Points range(const Matrix& X, Index first, Index last, const Frame& frame, Layout layout);

  // Copies of the given rows in another dense layout, or sparse from sparse.
  Points gather(std::span<const Index> rows, Layout layout) const;

  Index size() const { return size_; }
  Index cols() const { return cols_; }
  Layout layout() const { return layout_; }

  const T* row(Index i) const { return values_.data() + i * cols_; }               // Layout::rows
  const T* panel(Index p) const { return values_.data() + p * cols_ * lanes<T>; }  // Layout::panels
  Index begin(Index i) const { return indptr_[static_cast<std::size_t>(i)]; }      // Layout::sparse
  const Index* begins() const { return indptr_.data(); }
  const T* values() const { return values_.data(); }
  const std::int32_t* columns() const { return columns_.data(); }

  const T* squared_norms() const { return norms_.data(); }  // padded with zeros to whole panels
  T manhattan_norm(Index i) const;                          // Layout::sparse
  double largest_squared_norm() const;
  // Some of these rows is so far out that norms and a dot product no longer tell its distances: where distances times
  // gamma of order one matter, rounding them would be felt. They are then summed feature by feature.
  bool far(double gamma, Index first, Index count) const;

  // The same rows in a part of their frame.
  const Points& part(int number) const { return number == 0 ? *this : others_[static_cast<std::size_t>(number) - 1]; }

 private:
  Points(Index size, Index cols, Layout layout);
  template <class View>
  void read(const View& X, const std::vector<Index>* rows, Index first, const Frame& frame);
  void set_dense(Index i, const T* row);
  void set_norm(Index i, const T* values, Index count);
  Strided<T> strided(Index i);  // dense layouts
  Strided<const T> strided(Index i) const;

  Index size_ = 0;
  Index cols_ = 0;
  Layout layout_ = Layout::rows;
  T largest_norm_ = 0;  // of these rows, and of those they were gathered from
  Buffer<T> values_;
  Buffer<T> norms_;
  Buffer<std::int32_t> columns_;
  std::vector<Index> indptr_;
  std::vector<Points> others_;  // in the other parts of the frame
};

}  // namespace mercer
