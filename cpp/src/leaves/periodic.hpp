// exp(-rate sin^2(pi t)) with t = (gamma |x - z|^2)^(1/2): the period is gamma^(-1/2)
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct periodic {
  double gamma = 1, rate = 1;
  static constexpr Parameters<periodic> parameters{{{"gamma", &periodic::gamma}, {"rate", &periodic::rate}}};
  static constexpr FeatureSum sum = FeatureSum::squared_distance;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const periodic& leaf) : gamma(Numbers::scalar(leaf.gamma)), decay(leaf.rate) {}
    Number operator()(Number distance) const {
      const Number sine = Numbers::sin_of_pi(Numbers::sqrt(gamma * distance));
      return decay(sine * sine);
    }
    typename Numbers::Scalar gamma;
    typename Numbers::Decay decay;
  };

  double bound(double) const { return 1; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
