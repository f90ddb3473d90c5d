// Distances of rows as they are.
#pragma once

#include "found.hpp"
#include "mercer/simd.hpp"

namespace mercer {

// Distances in float64, by the differences of the features.
class Settled {
 public:
  Settled(const Matrix& rows, const Matrix& queries) : rows_(rows), queries_(queries) {}

  // The squared distance, or some number above the limit where that is above it.
  double squared(Index query, Index row, double limit) const {
    return std::visit(
        [&](const auto& Q, const auto& X) -> double {
          if constexpr (requires { Q.row(0), X.row(0); })
            return between(Q.row(query), X.row(row), X.cols, limit);
          else
            return infinity;
        },
        queries_, rows_);
  }

 private:
  template <class T>
  static double between(const T* a, const T* b, Index d, double limit) {
    return ops<T>().squared_distance(a, b, d, limit);
  }
  // Of rows in different precisions, some features at a time.
  template <class A, class B>
  static double between(const A* a, const B* b, Index d, double limit) {
    constexpr Index at_once = 64;
    double one[at_once], two[at_once], sum = 0;
    for (Index first = 0; first < d && sum <= limit; first += at_once) {
      const Index count = std::min(at_once, d - first);
      std::copy_n(a + first, count, one);
      std::copy_n(b + first, count, two);
      sum += ops<double>().squared_distance(one, two, count, limit);
    }
    return sum;
  }

  const Matrix& rows_;
  const Matrix& queries_;
};

}  // namespace mercer
