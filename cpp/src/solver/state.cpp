#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The middle of an interval that may be open on either side.
double middle_of(double low, double high) {
  if (std::isinf(low)) return std::isinf(high) ? 0 : high;
  return std::isinf(high) ? low : 0.5 * (low + high);
}

}  // namespace

State start_state(const BoxQp& qp) {
  State state;
  state.two_sums = qp.two_sums;
  state.coef.assign(qp.start.begin(), qp.start.end());
  state.lo.assign(qp.lower.begin(), qp.lower.end());
  state.hi.assign(qp.upper.begin(), qp.upper.end());
  state.linear.assign(qp.linear.begin(), qp.linear.end());
  state.kink.assign(qp.kink.begin(), qp.kink.end());
  for (auto* field : {&state.kink, &state.neg_grad, &state.diagonal}) field->resize(qp.linear.size());
  return state;
}

State restricted(const State& state, const std::vector<Index>& rows) {
  State part;
  part.two_sums = state.two_sums;
  for (auto field :
       {&State::coef, &State::lo, &State::hi, &State::linear, &State::kink, &State::neg_grad, &State::diagonal})
    part.*field = gathered(state.*field, rows);
  return part;
}

double largest_diagonal(const State& state) {
  double largest = -infinity;
  for (const double value : state.diagonal)
    if (!std::isnan(value)) largest = std::max(largest, value);
  return largest;
}

Extremes extremes(const State& state) { return extremes(state, state.size()); }

Extremes extremes(const State& state, Index known) {
  Extremes found{{-infinity, -infinity}, {infinity, infinity}};
  for (Index i = 0; i < known; ++i) {
    if (state.up(i)) {
      double& top = found.top[state.up_sum(i)];
      top = std::max(top, state.up_value(i));
    }
    if (state.low(i)) {
      double& bottom = found.bottom[state.low_sum(i)];
      bottom = std::min(bottom, state.low_value(i));
    }
  }
  return found;
}

Sums sums(const State& state, Index rows) {
  Sums found{0, 0};
  for (Index i = 0; i < rows; ++i) {
    const double coef = at(state.coef, i);
    found[state.two_sums && coef < 0] += coef;
  }
  return found;
}

Sums middle(const State& state) {
  Sums total{0, 0}, free{0, 0};
  for (Index i = 0; i < state.size(); ++i)
    if (state.free(i)) {
      total[state.up_sum(i)] += state.up_value(i);
      ++free[state.up_sum(i)];
    }
  const Extremes found = extremes(state);
  Sums middles{0, 0};
  for (std::size_t s = 0; s < 2; ++s)
    middles[s] = free[s] > 0 ? total[s] / free[s] : middle_of(found.bottom[s], found.top[s]);
  return middles;
}

Objective objective(const State& state) {
  const Sums middles = middle(state);
  const double of_negatives = middles[state.two_sums ? 1 : 0];
  Objective result{0, 0, 0};
  for (std::size_t i = 0; i < state.coef.size(); ++i) {
    const double coef = state.coef[i];
    const double grown = state.neg_grad[i] - state.kink[i] - middles[0];     // what a positive coefficient gains a unit
    const double fallen = state.neg_grad[i] + state.kink[i] - of_negatives;  // and a negative one
    result.dual += 0.5 * coef * (state.linear[i] + state.neg_grad[i]) - state.kink[i] * std::abs(coef);
    result.squared_norm += coef * (state.linear[i] - state.neg_grad[i]);
    result.gap += std::max(grown > 0 ? state.hi[i] * grown : 0, fallen < 0 ? state.lo[i] * fallen : 0);
    if (coef != 0) result.gap -= coef * (coef > 0 ? grown : fallen);
  }
  return result;
}

}  // namespace mercer
