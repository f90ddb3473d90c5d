// (1 + gamma |x - z|^2 / alpha)^(-alpha)
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct rational_quadratic {
  double gamma = 1, alpha = 1;
  static constexpr Parameters<rational_quadratic> parameters{
      {{"gamma", &rational_quadratic::gamma}, {"alpha", &rational_quadratic::alpha}}};
  static constexpr FeatureSum sum = FeatureSum::squared_distance;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const rational_quadratic& leaf) : share(Numbers::scalar(leaf.gamma / leaf.alpha)), decay(leaf.alpha) {}
    Number operator()(Number distance) const { return decay(Numbers::log1p(share * distance)); }
    typename Numbers::Scalar share;
    typename Numbers::Decay decay;
  };

  double bound(double) const { return 1; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
