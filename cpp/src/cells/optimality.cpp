#include "optimality.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A kink of the losses as a function of the offset, and by how much their slope grows there.
struct Kink {
  double at;
  double growth;
};

// The offsets at which sum_i hi_i max(0, v_i - e_i - b) - lo_i max(0, b - v_i - e_i) is least.
std::pair<double, double> best_offsets(const State& state, double near) {
  // Kinks lie in three parts: those before the interval [from, to] count with their sum only.
  for (double width = 1e-3 * std::max(1.0, std::abs(near));; width *= 8) {
    const double from = near - width, to = near + width;
    std::vector<Kink> within;
    double slope = 0, after = 0;  // at `from`, and what it grows by beyond `to`
    for (Index i = 0; i < state.size(); ++i) {
      const double upper = at(state.hi, i), lower = -at(state.lo, i);
      const auto take = [&](double place, double growth) {
        if (growth == 0) return;
        if (place < from)
          slope += growth;
        else if (place > to)
          after += growth;
        else
          within.push_back({place, growth});
      };
      slope -= upper;
      take(at(state.neg_grad, i) - at(state.kink, i), upper);
      take(at(state.neg_grad, i) + at(state.kink, i), lower);
    }
    double grown = slope;
    for (const Kink& kink : within) grown += kink.growth;
    const double rounding = 1e-12 * (std::abs(slope) + std::abs(grown) + after);
    const bool is_open = !std::isfinite(width);
    if (!is_open && (slope >= -rounding || grown <= rounding)) continue;
    std::ranges::sort(within, {}, &Kink::at);
    double low = near, high = near;
    bool found = false;
    for (const Kink& kink : within) {
      slope += kink.growth;
      if (!found && slope >= -rounding) low = high = kink.at, found = true;
      if (slope > rounding) {
        high = kink.at;
        break;
      }
    }
    return {low, high};
  }
}

}  // namespace

Optimality optimality_of(const State& state) {
  Optimality found;
  found.violation = extremes(state).violation();
  found.offset = middle(state)[0];
  std::tie(found.best_low, found.best_high) = best_offsets(state, found.offset);
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
