#include "line_search.hpp"

#include <cmath>

namespace mercer {
namespace {

// A step is good once the slope along it has fallen to this share.
constexpr double good_slope = 0.1;
constexpr int most_tries = 30;

}  // namespace

// By Newton where that stays within the bracket, else by the Illinois rule.
double search_along(LossSlope start, LossSlope at_end, const std::function<LossSlope(double)>& of_rows) {
  double low = 0, high = 1, slope_at_low = start.first, slope_at_high = 0, t = 1;
  int last_side = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto [rise, curvature] = tries == 0 ? at_end : of_rows(t);
    const double slope = start.first + t * start.second + rise;
    if ((t == 1 && slope <= 0) || std::abs(slope) <= -good_slope * start.first) return t;
    const int side = slope > 0 ? 1 : -1;
    if (side > 0) {
      high = t, slope_at_high = slope;
      if (last_side == side) slope_at_low *= 0.5;
    } else {
      low = t, slope_at_low = slope;
      if (last_side == side) slope_at_high *= 0.5;
    }
    last_side = side;
    const double newton = t - slope / (start.second + curvature);
    const double secant = low + (high - low) * slope_at_low / (slope_at_low - slope_at_high);
    t = newton > low && newton < high ? newton : secant;
  }
  return low;
}

}  // namespace mercer
