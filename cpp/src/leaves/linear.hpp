// x.z
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct linear {
  static constexpr Parameters<linear> parameters{};
  static constexpr FeatureSum sum = FeatureSum::dot;

  template <class Numbers>
  using Map = Unmapped<Numbers>;

  double bound(double squared_norm) const { return squared_norm; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
