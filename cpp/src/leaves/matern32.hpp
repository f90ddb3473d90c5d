// (1 + r) exp(-r) with r = (6 gamma |x - z|^2)^(1/2)
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct matern32 {
  double gamma = 1;
  static constexpr Parameters<matern32> parameters{{{"gamma", &matern32::gamma}}};
  static constexpr FeatureSum sum = FeatureSum::squared_distance;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const matern32& leaf) : rate(Numbers::scalar(6 * leaf.gamma)), one(Numbers::scalar(1)), decay(1) {}
    Number operator()(Number distance) const {
      const Number r = Numbers::at_most(Numbers::sqrt(rate * distance), beyond_decay);
      return (one + r) * decay(r);
    }
    typename Numbers::Scalar rate, one;
    typename Numbers::Decay decay;
  };

  // What is on the way to a value is some thousands at most, which no kind of numbers minds.
  double bound(double) const { return 1; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
