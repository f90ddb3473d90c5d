// Distances of one row from those of panels, and from boxes.
#pragma once

#include "vectors.hpp"

namespace mercer {
namespace {

// Panels whose sums are added up side by side: one alone would wait for each addition. The sums are in eight registers.
template <class T>
constexpr Index panels_side_by_side = 8 * width<T> / lanes<T>;

template <Norm norm, Index side_by_side, class T>
void distances_of(const T* panels, const T* query, Index d, T* out) {
  using V = typename Simd<T>::V;
  constexpr Index w = width<T>, vectors = lanes<T> / w;
  V total[side_by_side][vectors] = {};
  for (Index k = 0; k < d; ++k)
    for (Index p = 0; p < side_by_side; ++p)
      for (Index v = 0; v < vectors; ++v) {
        const V apart = load<T>(panels + (p * d + k) * lanes<T> + v * w) - query[k];
        if constexpr (norm == Norm::euclidean)
          total[p][v] = plus_product<T>(total[p][v], apart, apart);
        else if constexpr (norm == Norm::manhattan)
          total[p][v] += absolute<T>(apart);
        else
          total[p][v] = larger<T>(total[p][v], absolute<T>(apart));
      }
  for (Index p = 0; p < side_by_side; ++p)
    for (Index v = 0; v < vectors; ++v) store<T>(out + p * lanes<T> + v * w, total[p][v]);
}

template <Norm norm, class T>
void distances_by(const T* panels, Index count, const T* query, Index d, T* out) {
  constexpr Index together = panels_side_by_side<T>;
  Index p = 0;
  for (; p + together <= count; p += together)
    distances_of<norm, together>(panels + p * lanes<T> * d, query, d, out + p * lanes<T>);
  for (; p < count; ++p) distances_of<norm, 1>(panels + p * lanes<T> * d, query, d, out + p * lanes<T>);
}

template <class T>
void panel_distances(const T* panels, Index count, const T* query, Index d, Norm norm, T* out) {
  switch (norm) {
    case Norm::euclidean: return distances_by<Norm::euclidean>(panels, count, query, d, out);
    case Norm::manhattan: return distances_by<Norm::manhattan>(panels, count, query, d, out);
    case Norm::chebyshev: return distances_by<Norm::chebyshev>(panels, count, query, d, out);
  }
}

template <class T>
std::uint64_t at_most(const T* values, Index count, T limit) {
  constexpr Index w = width<T>;
  std::uint64_t found = 0;
  Index i = 0;
  for (; i + w <= count; i += w) found |= lanes_at_most<T>(load<T>(values + i), splat<T>(limit)) << i;
  for (; i < count; ++i) found |= static_cast<std::uint64_t>(values[i] <= limit) << i;
  return found;
}

template <Norm norm, class T>
T box_distance_by(const T* low, const T* high, const T* query, Index d) {
  using V = typename Simd<T>::V;
  constexpr Index w = width<T>;
  V total{};
  for (Index k = 0; k < d; k += w) {
    const V at = load<T>(query + k);
    const V apart = larger<T>(larger<T>(load<T>(low + k) - at, at - load<T>(high + k)), V{});
    if constexpr (norm == Norm::euclidean)
      total += apart * apart;
    else if constexpr (norm == Norm::manhattan)
      total += apart;
    else
      total = larger<T>(total, apart);
  }
  T found = 0;
  for (Index k = 0; k < w; ++k)
    found = norm == Norm::chebyshev ? (total[k] > found ? total[k] : found) : found + total[k];
  return found;
}

template <class T>
T box_distance(const T* low, const T* high, const T* query, Index d, Norm norm) {
  switch (norm) {
    case Norm::euclidean: return box_distance_by<Norm::euclidean>(low, high, query, d);
    case Norm::manhattan: return box_distance_by<Norm::manhattan>(low, high, query, d);
    case Norm::chebyshev: return box_distance_by<Norm::chebyshev>(low, high, query, d);
  }
  return 0;
}

}  // namespace
}  // namespace mercer
