// Tables of sparse queries against compressed rows: kernel values and their sums with coefficients.
#pragma once

#include "vectors.hpp"

namespace mercer {
namespace {

template <class T>
inline constexpr Index table_vectors = table_lanes<T> / width<T>;

template <class T, class Step, class Map, class Sink>
inline void sparse_block(const SparseBlock<T>& in, const Map& map, Sink sink) {
  using V = typename Simd<T>::V;
  for (Index b = 0; b < in.nb; ++b) {
    V acc[table_vectors<T>] = {};
    for (Index e = in.begin[b]; e < in.begin[b + 1]; ++e) {
      const T* entry = in.table + static_cast<Index>(in.slots[in.columns[e]]) * table_lanes<T>;
      const V x = splat<T>(in.values[e]);
#pragma GCC unroll 8
      for (Index v = 0; v < table_vectors<T>; ++v) acc[v] = Step::step(acc[v], load<T>(entry + v * width<T>), x);
    }
#pragma GCC unroll 8
    for (Index v = 0; v < table_vectors<T>; ++v)
      sink(b, v, map(acc[v] + load<T>(in.offset + v * width<T>), load<T>(in.query_norms + v * width<T>) + in.norms[b]));
  }
}

template <class T, class Step, class Map>
void sparse_values(const SparseBlock<T>& in, const LeafNumbers<T>& leaf, T* out) {
  sparse_block<T, Step, Map>(
      in, Map(leaf), [=](Index b, Index v, auto values) { store<T>(out + b * table_lanes<T> + v * width<T>, values); });
}

// Sums of a few rows at a time are in T, their sum in double.
template <class T, class Step, class Map>
void sparse_sums(const SparseBlock<T>& in, const LeafNumbers<T>& leaf, const T* coef, double* out) {
  constexpr Index few = 16;
  const Map map(leaf);
  for (Index first = 0; first < in.nb; first += few) {
    SparseBlock<T> part = in;
    part.begin += first;
    part.norms += first;
    part.nb = in.nb - first < few ? in.nb - first : few;
    typename Simd<T>::V sums[table_vectors<T>] = {};
    sparse_block<T, Step>(part, map, [&](Index b, Index v, auto values) { sums[v] += coef[first + b] * values; });
    for (Index q = 0; q < table_lanes<T>; ++q) out[q] += static_cast<double>(sums[q / width<T>][q % width<T>]);
  }
}

}  // namespace
}  // namespace mercer
