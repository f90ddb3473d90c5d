// The least of each group of values.
#pragma once

#include "vectors.hpp"

namespace mercer {
namespace {

template <class T>
void least_of_groups(const T* values, Index groups, T* out) {
  constexpr Index w = width<T>;
  for (Index g = 0; g < groups; ++g) {
    const T* own = values + g * values_per_group;
    typename Simd<T>::V highest = -load<T>(own);  // of the values negated
    for (Index i = w; i < values_per_group; i += w) highest = larger<T>(highest, -load<T>(own + i));
    T least = -highest[0];
    for (Index k = 1; k < w; ++k) least = -highest[k] < least ? -highest[k] : least;
    out[g] = least;
  }
}

}  // namespace
}  // namespace mercer
