// tanh(gamma x.z + coef0)
#pragma once

#include <cmath>

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct sigmoid {
  double gamma = 1, coef0 = 0;
  static constexpr Parameters<sigmoid> parameters{{{"gamma", &sigmoid::gamma}, {"coef0", &sigmoid::coef0}}};
  static constexpr FeatureSum sum = FeatureSum::dot;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const sigmoid& leaf) : gamma(Numbers::scalar(leaf.gamma)), coef0(Numbers::scalar(leaf.coef0)) {}
    Number operator()(Number dot) const { return Numbers::tanh(gamma * dot + coef0); }
    typename Numbers::Scalar gamma, coef0;
  };

  // Its argument must be a number, though any number will do.
  double bound(double squared_norm) const {
    return std::isfinite(gamma * squared_norm + std::abs(coef0)) ? 1 : squared_norm;
  }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
