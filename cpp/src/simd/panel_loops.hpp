// Row-major rows against panels of others: kernel values, their sums with coefficients, products.
#pragma once

#include "feature_sums.hpp"
#include "vectors.hpp"

namespace mercer {
namespace {

// Rows of A held against one panel: as many as the registers take.
inline constexpr Index block_rows = MERCER_BLOCK_ROWS;
template <class T>
inline constexpr Index vectors = lanes<T> / width<T>;

// Features of one panel that stay in the first-level cache while the rows of A go by. Shorter sums round less, too.
inline constexpr Index features_at_once = 256;

// One panel against R rows of A over some features: R x lanes sums in registers, added to what is at `out` where
// `more`. It is a function of its own, never inlined, so that what comes after it does not take registers away from it.
template <class T, class Step, Index R>
[[gnu::noinline]] void panel_block(const T* A, Index stride, Index d, const T* B, bool more, T* out, Index ld) {
  using V = typename Simd<T>::V;
  V acc[R][vectors<T>] = {};
  for (Index k = 0; k < d; ++k) {
    V b[vectors<T>];
#pragma GCC unroll 16
    for (Index v = 0; v < vectors<T>; ++v) b[v] = load<T>(B + k * lanes<T> + v * width<T>);
#pragma GCC unroll 16
    for (Index r = 0; r < R; ++r) {
      const V x = splat<T>(A[r * stride + k]);
#pragma GCC unroll 16
      for (Index v = 0; v < vectors<T>; ++v) acc[r][v] = Step::step(acc[r][v], x, b[v]);
    }
  }
  if (more) {
#pragma GCC unroll 16
    for (Index r = 0; r < R; ++r)
#pragma GCC unroll 16
      for (Index v = 0; v < vectors<T>; ++v) acc[r][v] += load<T>(out + r * ld + v * width<T>);
  }
#pragma GCC unroll 16
  for (Index r = 0; r < R; ++r)
#pragma GCC unroll 16
    for (Index v = 0; v < vectors<T>; ++v) store<T>(out + r * ld + v * width<T>, acc[r][v]);
}

template <class T, class Step, Index R = block_rows>
inline void panel_rows(Index count, const T* A, Index stride, Index d, const T* B, bool more, T* out, Index ld) {
  if (count == R)
    panel_block<T, Step, R>(A, stride, d, B, more, out, ld);
  else if constexpr (R > 1)
    panel_rows<T, Step, R - 1>(count, A, stride, d, B, more, out, ld);
}

// out[a * ld + lane]: panel p against all rows of A.
template <class T, class Step>
inline void panel_sums_of_features(const PanelBlock<T>& in, Index p, T* out, Index ld) {
  Index k = 0;
  do {
    const Index count = in.d - k < features_at_once ? in.d - k : features_at_once;
    for (Index a = 0; a < in.na; a += block_rows)
      panel_rows<T, Step>(in.na - a < block_rows ? in.na - a : block_rows, in.A + a * in.stride + k, in.stride, count,
                          in.B + (p * in.d + k) * lanes<T>, k > 0, out + a * ld, ld);
    k += count;
  } while (k < in.d);
}

// Hands sink(a, p, v, values) the kernel values of row a and vector v of panel p.
template <class T, class Step, class Map, class Sink>
inline void for_each_value(const PanelBlock<T>& in, const Map& map, Sink sink) {
  T sums[rows_at_once * lanes<T>];
  for (Index p = 0; p < in.panels; ++p) {
    panel_sums_of_features<T, Step>(in, p, sums, lanes<T>);
    for (Index v = 0; v < vectors<T>; ++v) {
      const auto B_norms = load<T>(in.B_norms + p * lanes<T> + v * width<T>);
      for (Index a = 0; a < in.na; ++a)
        sink(a, p, v, map(load<T>(sums + a * lanes<T> + v * width<T>), B_norms + in.A_norms[a]));
    }
  }
}

template <class T, class Step, class Map>
void panel_values(const PanelBlock<T>& in, const LeafNumbers<T>& leaf, T* out, Index ld) {
  for_each_value<T, Step>(in, Map(leaf), [=](Index a, Index p, Index v, auto values) {
    store<T>(out + a * ld + p * lanes<T> + v * width<T>, values);
  });
}

template <class T>
void panel_products(const PanelBlock<T>& in, T* out, Index ld) {
  for (Index p = 0; p < in.panels; ++p) panel_sums_of_features<T, DotStep<T>>(in, p, out + p * lanes<T>, ld);
}

// Sums over a few panels are in T, their sum in double.
template <class T, class Step, class Map>
void panel_sums(const PanelBlock<T>& in, const LeafNumbers<T>& leaf, const T* coef, double* out) {
  constexpr Index few = 4;
  const Map map(leaf);
  Simd<double>::V totals[rows_at_once] = {};
  for (Index first = 0; first < in.panels; first += few) {
    PanelBlock<T> part = in;
    part.B += first * in.d * lanes<T>;
    part.B_norms += first * lanes<T>;
    part.panels = in.panels - first < few ? in.panels - first : few;
    typename Simd<T>::V sums[rows_at_once];
    for (Index a = 0; a < in.na; ++a) sums[a] = splat<T>(0);
    for_each_value<T, Step>(part, map, [&](Index a, Index p, Index v, auto values) {
      sums[a] += values * load<T>(coef + (first + p) * lanes<T> + v * width<T>);
    });
    for (Index a = 0; a < in.na; ++a) totals[a] += folded(sums[a]);
  }
  for (Index a = 0; a < in.na; ++a) out[a] += sum_of_lanes(totals[a]);
}

template <class T>
T self_dot(const T* x, Index d, bool sparse) {
  T total = 0;
  for (Index first = 0; first < d; first += features_at_once) {
    const Index last = sparse || d - first < features_at_once ? d : first + features_at_once;
    T sum = 0;
    for (Index k = first; k < last; ++k) sum = plus_square(sum, x[k]);
    total += sum;
    if (sparse) break;
  }
  return total;
}

}  // namespace
}  // namespace mercer
