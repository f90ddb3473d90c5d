#include "state.hpp"

#include <algorithm>
#include <limits>

namespace mercer {

State start_state(const BoxQp& qp) {
  const std::size_t n = qp.signs.size();
  State state;
  for (auto* field : {&state.coef, &state.lo, &state.hi, &state.slope, &state.values, &state.diagonal})
    field->resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool positive = qp.signs[i] > 0;
    state.coef[i] = qp.signs[i] * qp.start[i];
    state.lo[i] = positive ? 0 : -qp.upper[i];
    state.hi[i] = positive ? qp.upper[i] : 0;
    state.slope[i] = -qp.signs[i] * qp.linear[i];
  }
  return state;
}

Extremes extremes(const State& state) { return extremes(state, state.size()); }

Extremes extremes(const State& state, Index known) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Extremes found{-infinity, infinity};
  for (Index i = 0; i < known; ++i) {
    const double value = state.values[State::at(i)];
    if (state.up(i)) found.top = std::max(found.top, value);
    if (state.low(i)) found.bottom = std::min(found.bottom, value);
  }
  return found;
}

double middle(const State& state) {
  double sum = 0;
  Index free = 0;
  for (Index i = 0; i < state.size(); ++i)
    if (state.free(i)) {
      sum += state.values[State::at(i)];
      ++free;
    }
  if (free > 0) return sum / static_cast<double>(free);
  const Extremes found = extremes(state);
  return 0.5 * (found.top + found.bottom);
}

Objective objective(const State& state) {
  const double intercept = middle(state);
  Objective result{0, 0, 0};
  for (std::size_t i = 0; i < state.coef.size(); ++i) {
    const double coef = state.coef[i], residual = state.values[i] - intercept;
    result.dual += 0.5 * coef * (state.slope[i] + state.values[i]);
    result.squared_norm += coef * (state.slope[i] - state.values[i]);
    if (residual > 0 && state.hi[i] > coef) result.gap += (state.hi[i] - coef) * residual;
    if (residual < 0 && coef > state.lo[i]) result.gap += (state.lo[i] - coef) * residual;
  }
  return result;
}

}  // namespace mercer
