#include "optimality.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

// Slopes of the losses that are rounding, as a share of the sum of all bounds.
constexpr double slope_rounding = 1e-12;
// Where to look for the best offset first, in units of the violation, and what it is at least.
constexpr double first_width = 2;
constexpr double least_width = 1e-9;

// A kink of the losses as a function of the offset, and by how much their slope grows there.
struct Kink {
  double at;
  double growth;
};

// The offsets at which sum_i hi_i max(0, v_i - e_i - b) - lo_i max(0, b - v_i - e_i) is least. They are looked for near
// a number, and farther off until they are found; kinks before the interval count with their sum only.
std::pair<double, double> best_offsets(const State& state, double near, double width) {
  std::vector<Kink> within;
  for (;; width *= 8) {
    const double from = near - width, to = near + width;
    within.clear();
    double slope = 0, size = 0;  // at `from`
    const auto take = [&](double place, double growth) {
      if (place < from)
        slope += growth;
      else if (place <= to && growth > 0)
        within.push_back({place, growth});
    };
    for (Index i = 0; i < state.size(); ++i) {
      const double upper = at(state.hi, i), lower = -at(state.lo, i);
      slope -= upper;
      size += upper + lower;
      take(at(state.neg_grad, i) - at(state.kink, i), upper);
      take(at(state.neg_grad, i) + at(state.kink, i), lower);
    }
    double grown = slope;
    for (const Kink& kink : within) grown += kink.growth;
    const double rounding = slope_rounding * size;
    if (std::isfinite(width) && (slope >= -rounding || grown <= rounding)) continue;
    std::ranges::sort(within, {}, &Kink::at);
    std::pair<double, double> found{near, near};
    bool has_low = false;
    for (const Kink& kink : within) {
      slope += kink.growth;
      if (!has_low && slope >= -rounding) found = {kink.at, kink.at}, has_low = true;
      if (slope > rounding) {
        found.second = kink.at;
        break;
      }
    }
    return found;
  }
}

}  // namespace

Optimality optimality_of(const State& state) {
  Optimality found;
  found.violation = extremes(state).violation();
  found.offset = middle(state)[0];
  std::tie(found.best_low, found.best_high) =
      best_offsets(state, found.offset,
                   std::max(first_width * found.violation, least_width * std::max(1.0, std::abs(found.offset))));
  const double b = found.best_low;
  double gap = 0;
  for (Index i = 0; i < state.size(); ++i) {
    const double coef = at(state.coef, i), value = at(state.neg_grad, i), kink = at(state.kink, i);
    const double grown = value - kink - b, fallen = value + kink - b;
    found.dual += 0.5 * coef * (at(state.linear, i) + value) - kink * std::abs(coef);
    found.squared_norm += coef * (at(state.linear, i) - value);
    gap += std::max(grown > 0 ? at(state.hi, i) * grown : 0, fallen < 0 ? at(state.lo, i) * fallen : 0);
    if (coef != 0) gap -= coef * (coef > 0 ? grown : fallen);
    if (state.free(i)) found.free_bounds += at(state.hi, i) - at(state.lo, i);
  }
  found.gap = std::max(gap, 0.0);
  return found;
}

}  // namespace mercer
