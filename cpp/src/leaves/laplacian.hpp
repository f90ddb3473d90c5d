// exp(-gamma |x - z|_1)
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct laplacian {
  double gamma = 1;
  static constexpr Parameters<laplacian> parameters{{{"gamma", &laplacian::gamma}}};
  static constexpr FeatureSum sum = FeatureSum::manhattan;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const laplacian& leaf) : decay(leaf.gamma) {}
    Number operator()(Number distance) const { return decay(distance); }
    typename Numbers::Decay decay;
  };

  double bound(double) const { return 1; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
