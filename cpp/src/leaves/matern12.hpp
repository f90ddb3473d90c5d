// exp(-r) with r = (2 gamma |x - z|^2)^(1/2)
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct matern12 {
  double gamma = 1;
  static constexpr Parameters<matern12> parameters{{{"gamma", &matern12::gamma}}};
  static constexpr FeatureSum sum = FeatureSum::squared_distance;
  static constexpr bool is_steep = true;  // the root has no slope at zero

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const matern12& leaf) : twice(Numbers::scalar(2 * leaf.gamma)), decay(1) {}
    Number operator()(Number distance) const { return decay(Numbers::sqrt(twice * distance)); }
    typename Numbers::Scalar twice;
    typename Numbers::Decay decay;
  };

  double bound(double) const { return 1; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
