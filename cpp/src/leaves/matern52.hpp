// (1 + r + r^2 / 3) exp(-r) with r = (10 gamma |x - z|^2)^(1/2)
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct matern52 {
  double gamma = 1;
  static constexpr Parameters<matern52> parameters{{{"gamma", &matern52::gamma}}};
  static constexpr FeatureSum sum = FeatureSum::squared_distance;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const matern52& leaf)
        : rate(Numbers::scalar(10 * leaf.gamma)), one(Numbers::scalar(1)), three(Numbers::scalar(3)), decay(1) {}
    Number operator()(Number distance) const {
      const Number r = Numbers::at_most(Numbers::sqrt(rate * distance), beyond_decay);
      return (one + r + r * r / three) * decay(r);
    }
    typename Numbers::Scalar rate, one, three;
    typename Numbers::Decay decay;
  };

  // What is on the way to a value is some millions at most, which no kind of numbers minds.
  double bound(double) const { return 1; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
