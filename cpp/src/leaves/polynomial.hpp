// (gamma x.z + coef0)^degree
#pragma once

#include <cmath>

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct polynomial {
  double gamma = 1, coef0 = 0, degree = 1;
  static constexpr Parameters<polynomial> parameters{
      {{"gamma", &polynomial::gamma}, {"coef0", &polynomial::coef0}, {"degree", &polynomial::degree}}};
  static constexpr FeatureSum sum = FeatureSum::dot;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const polynomial& leaf)
        : gamma(Numbers::scalar(leaf.gamma)),
          coef0(Numbers::scalar(leaf.coef0)),
          degree(static_cast<int>(leaf.degree)) {}
    Number operator()(Number dot) const { return Numbers::power(gamma * dot + coef0, degree); }
    typename Numbers::Scalar gamma, coef0;
    int degree;
  };

  double bound(double squared_norm) const {
    return std::pow(std::abs(gamma) * squared_norm + std::abs(coef0), static_cast<int>(degree));
  }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
