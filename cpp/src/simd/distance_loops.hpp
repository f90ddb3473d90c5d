// Distances of one row from those of panels, in double.
#pragma once

#include "vectors.hpp"

namespace mercer {
namespace {

template <Norm norm, class T>
void distances_by(const T* panels, Index count, const T* query, Index d, T* out) {
  using V = typename Simd<T>::V;
  constexpr Index w = width<T>, vectors = lanes<T> / w;
  for (Index p = 0; p < count; ++p) {
    const T* panel = panels + p * lanes<T> * d;
    V total[vectors] = {};
    for (Index k = 0; k < d; ++k)
      for (Index v = 0; v < vectors; ++v) {
        const V apart = load<T>(panel + k * lanes<T> + v * w) - query[k];
        if constexpr (norm == Norm::euclidean)
          total[v] += apart * apart;
        else if constexpr (norm == Norm::manhattan)
          total[v] += larger<T>(apart, -apart);
        else
          total[v] = larger<T>(total[v], larger<T>(apart, -apart));
      }
    for (Index v = 0; v < vectors; ++v) store<T>(out + p * lanes<T> + v * w, total[v]);
  }
}

template <class T>
void panel_distances(const T* panels, Index count, const T* query, Index d, Norm norm, T* out) {
  switch (norm) {
    case Norm::euclidean: return distances_by<Norm::euclidean>(panels, count, query, d, out);
    case Norm::manhattan: return distances_by<Norm::manhattan>(panels, count, query, d, out);
    case Norm::chebyshev: return distances_by<Norm::chebyshev>(panels, count, query, d, out);
  }
}

}  // namespace
}  // namespace mercer
