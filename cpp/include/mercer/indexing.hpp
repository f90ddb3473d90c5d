// Vectors by Index, which is signed, where the standard library counts without a sign.
#pragma once

#include <numeric>
#include <vector>

#include "mercer/view.hpp"

namespace mercer {

template <class V>
decltype(auto) at(V& values, Index i) {
  return values[static_cast<std::size_t>(i)];
}

template <class V>
Index length(const V& values) {
  return static_cast<Index>(values.size());
}

// The values at the given places.
template <class V>
std::vector<V> gathered(const std::vector<V>& values, const std::vector<Index>& places) {
  std::vector<V> found;
  found.reserve(places.size());
  for (const Index i : places) found.push_back(at(values, i));
  return found;
}

// From `first` up to, and without, `last`.
inline std::vector<Index> counted(Index first, Index last) {
  std::vector<Index> numbers(static_cast<std::size_t>(last - first));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace mercer
