// A matrix turned on its side.
#pragma once

#include "vectors.hpp"

namespace mercer {
namespace {

// The lower, or the upper, halves of two vectors, value by value in turn.
template <class T>
inline typename Simd<T>::V interleaved(typename Simd<T>::V a, typename Simd<T>::V b, bool upper) {
  typename Simd<T>::I low{}, high{};
  for (Index k = 0; k < width<T>; ++k) {
    low[k] = static_cast<decltype(low[k] + 0)>(k / 2 + k % 2 * width<T>);
    high[k] = low[k] + static_cast<decltype(low[k] + 0)>(width<T> / 2);
  }
  return upper ? __builtin_shuffle(a, b, high) : __builtin_shuffle(a, b, low);
}

// Squares of vectors: interleaving the first half of the rows with the second, as often as it takes, turns rows into
// columns.
template <class T>
void transpose(const T* in, Index ld_in, Index rows, Index cols, T* out, Index ld_out) {
  constexpr Index w = width<T>;
  using V = typename Simd<T>::V;
  const Index whole_rows = rows / w * w, whole_cols = cols / w * w;
  for (Index c = 0; c < whole_cols; c += w)
    for (Index r = 0; r < whole_rows; r += w) {
      V square[w], next[w];
#pragma GCC unroll 16
      for (Index k = 0; k < w; ++k) square[k] = load<T>(in + (r + k) * ld_in + c);
#pragma GCC unroll 16
      for (Index run = 1; run < w; run *= 2) {
#pragma GCC unroll 16
        for (Index k = 0; k < w / 2; ++k) {
          next[2 * k] = interleaved<T>(square[k], square[k + w / 2], false);
          next[2 * k + 1] = interleaved<T>(square[k], square[k + w / 2], true);
        }
#pragma GCC unroll 16
        for (Index k = 0; k < w; ++k) square[k] = next[k];
      }
#pragma GCC unroll 16
      for (Index k = 0; k < w; ++k) store<T>(out + (c + k) * ld_out + r, square[k]);
    }
  for (Index c = 0; c < cols; ++c)
    for (Index r = c < whole_cols ? whole_rows : 0; r < rows; ++r) out[c * ld_out + r] = in[r * ld_in + c];
}

}  // namespace
}  // namespace mercer
