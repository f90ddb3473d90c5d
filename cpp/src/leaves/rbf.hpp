// exp(-gamma |x - z|^2)
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct rbf {
  double gamma = 1;
  static constexpr Parameters<rbf> parameters{{{"gamma", &rbf::gamma}}};
  static constexpr FeatureSum sum = FeatureSum::squared_distance;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const rbf& leaf) : decay(leaf.gamma) {}
    Number operator()(Number distance) const { return decay(distance); }
    typename Numbers::Decay decay;
  };

  double bound(double) const { return 1; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
