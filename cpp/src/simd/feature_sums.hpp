// Sums over the features of two rows, as the loops take them.
#pragma once

#include "vectors.hpp"

namespace mercer {
namespace {

// What a feature adds to the sum.
template <class T>
struct DotStep {
  template <class V>
  static V step(V acc, V a, V b) {
    return plus_product<T>(acc, a, b);
  }
};
template <class T>
struct ManhattanStep {
  template <class V>
  static V step(V acc, V a, V b) {
    return acc + absolute<T>(a - b);
  }
};
struct DifferenceStep {
  template <class V>
  static V step(V acc, V a, V b) {
    return acc + (a - b) * (a - b);
  }
};

// What an entry of a sparse row adds to each of a table of queries.
template <class T>
struct SparseDotStep {
  template <class V>
  static V step(V acc, V entry, V x) {
    return plus_product<T>(acc, x, entry);
  }
};
template <class T>
struct SparseManhattanStep {
  template <class V>
  static V step(V acc, V entry, V x) {
    return acc + (absolute<T>(entry - x) - absolute<T>(entry));
  }
};

// What is made of the steps' total. `norms` is the sum of both squared norms.
template <class T>
struct Total {
  using V = typename Simd<T>::V;
  explicit Total(T) {}
  V operator()(V total, V) const { return total; }
};
template <class T>
struct SquaredDistanceOfDot {
  using V = typename Simd<T>::V;
  explicit SquaredDistanceOfDot(T rounding_of_dots) : rounding(rounding_of_dots) {}
  V operator()(V dot, V norms) const {
    const V squared = norms - T(2) * dot;
    if constexpr (sizeof(T) == 4)
      return larger<T>(squared, splat<T>(0));
    else
      return squared > rounding * norms ? squared : splat<T>(0);
  }
  T rounding;
};

// The parts of a sum.
template <class T, FeatureSum sum>
struct SumOf;
template <class T>
struct SumOf<T, FeatureSum::dot> {
  using Step = DotStep<T>;
  using SparseStep = SparseDotStep<T>;
  using Result = Total<T>;
};
template <class T>
struct SumOf<T, FeatureSum::squared_distance> {
  using Step = DotStep<T>;
  using SparseStep = SparseDotStep<T>;
  using Result = SquaredDistanceOfDot<T>;
};
template <class T>
struct SumOf<T, FeatureSum::manhattan> {
  using Step = ManhattanStep<T>;
  using SparseStep = SparseManhattanStep<T>;
  using Result = Total<T>;
};

// Squared distances feature by feature; sparse rows have no such loop.
template <class T>
struct SumOfDifferences {
  using Step = DifferenceStep;
  using Result = Total<T>;
};

}  // namespace
}  // namespace mercer
