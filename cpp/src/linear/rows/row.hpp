// One row of a matrix, dense or sparse, as the loops of all linear machines read it.
#pragma once

#include <algorithm>
#include <concepts>
#include <utility>

#include "mercer/simd.hpp"

namespace mercer {

// Asks for the first bytes of an array ahead of their use, line by line; the processor goes on by itself with those
// that follow. Always inline: GCC takes a function that does nothing else for one without effect, and leaves out its
// calls.
[[gnu::always_inline]] inline void prefetch_first(const void* array, Index bytes) {
  constexpr Index most_bytes = 2048, bytes_per_line = 64;
  const char* first = static_cast<const char*>(array);
  const char* end = first + std::min(bytes, most_bytes);
  for (const char* line = first; line < end; line += bytes_per_line) __builtin_prefetch(line);
  __builtin_prefetch(end - 1);  // the array may begin in the middle of a line, and end in one more
}

template <class T>
struct DenseRow {
  using Value = T;
  static constexpr bool is_dense = true;
  const T* values;
  Index count;

  double dot(const double* w) const { return ops<T>().dot(values, w, count); }
  void add_to(double* v, double c) const { ops<T>().add_scaled(v, values, c, count); }
  // The same for k functions, whose weights stand side by side for every feature: out += W x, and W += c x'.
  void add_values(const double* W, Index k, double* out) const { ops<T>().add_rows(values, nullptr, count, W, k, out); }
  void add_outer_to(double* W, Index k, const double* c) const { ops<T>().add_outer(values, nullptr, count, c, k, W); }
  template <class Visit>
  void each(Visit visit) const {
    for (Index j = 0; j < count; ++j) visit(j, static_cast<double>(values[j]));
  }
  [[gnu::always_inline]] void prefetch() const { prefetch_first(values, count * static_cast<Index>(sizeof(T))); }
};

template <class T, class I>
struct SparseRow {
  using Value = T;
  static constexpr bool is_dense = false;
  const T* values;
  const I* columns;
  Index count;

  double dot(const double* w) const {
    // Four sums, for one would wait for itself.
    double sums[4] = {0, 0, 0, 0};
    Index e = 0;
    for (; e + 4 <= count; e += 4)
      for (Index k = 0; k < 4; ++k) sums[k] += static_cast<double>(values[e + k]) * w[columns[e + k]];
    for (; e < count; ++e) sums[0] += static_cast<double>(values[e]) * w[columns[e]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  void add_to(double* v, double c) const {
    for (Index e = 0; e < count; ++e) v[columns[e]] += c * static_cast<double>(values[e]);
  }
  // Column numbers of 64 bits have to be narrowed first (narrow_rows.hpp).
  void add_values(const double* W, Index k, double* out) const
    requires std::same_as<I, std::int32_t>
  {
    ops<T>().add_rows(values, columns, count, W, k, out);
  }
  void add_outer_to(double* W, Index k, const double* c) const
    requires std::same_as<I, std::int32_t>
  {
    ops<T>().add_outer(values, columns, count, c, k, W);
  }
  template <class Visit>
  void each(Visit visit) const {
    for (Index e = 0; e < count; ++e) visit(static_cast<Index>(columns[e]), static_cast<double>(values[e]));
  }
  // Every two entries once, and each with itself.
  template <class Visit>
  void each_pair(Visit visit) const {
    for (Index e = 0; e < count; ++e) {
      const auto a = static_cast<Index>(columns[e]);
      const auto xa = static_cast<double>(values[e]);
      for (Index f = 0; f <= e; ++f) visit(a, static_cast<Index>(columns[f]), xa * static_cast<double>(values[f]));
    }
  }
  // Asks for the row ahead of its use: rows come in a random order, which no processor foresees.
  [[gnu::always_inline]] void prefetch() const {
    prefetch_first(values, count * static_cast<Index>(sizeof(T)));
    prefetch_first(columns, count * static_cast<Index>(sizeof(I)));
  }
};

template <class T>
DenseRow<T> row_of(const Dense<T>& X, Index i) {
  return {X.row(i), X.cols};
}
template <class T, class I>
SparseRow<T, I> row_of(const Csr<T, I>& X, Index i) {
  return {X.values + X.indptr[i], X.indices + X.indptr[i], static_cast<Index>(X.indptr[i + 1] - X.indptr[i])};
}

template <class View>
using RowOf = decltype(row_of(std::declval<const View&>(), Index()));

}  // namespace mercer
