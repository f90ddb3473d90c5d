// 1 where x = z, else 0
#pragma once

#include "pair_function.hpp"

namespace mercer {
namespace {
namespace leaves {

struct white {
  double gamma = 1;
  static constexpr Parameters<white> parameters{{{"gamma", &white::gamma}}};
  static constexpr FeatureSum sum = FeatureSum::squared_distance;
  static constexpr bool is_steep = true;

  template <class Numbers>
  struct Map {
    using Number = typename Numbers::Number;
    explicit Map(const white&) {}
    Number operator()(Number distance) const { return Numbers::is_zero(distance); }
  };

  double bound(double) const { return 1; }
};

}  // namespace leaves
}  // namespace
}  // namespace mercer
