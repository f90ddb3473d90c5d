#include "start.hpp"

#include <algorithm>

namespace mercer {

Start::Start(State& state, bool cold)
    : wanted_(sums(state, state.size())),
      is_cold_(cold || std::ranges::all_of(state.coef, [](double c) { return c == 0; })) {
  if (!is_cold_) return;
  coef_ = state.coef;
  std::ranges::fill(state.coef, 0.0);
}

bool Start::give_sums(State& state, Index rows, bool by_gain) const {
  if (!is_cold_ || !has_weight()) return false;
  const bool changed = project_to_sums(state, rows, wanted_, by_gain);
  if (rows < state.size() || has_sums(state, wanted_)) return changed;
  state.coef = coef_;
  return true;
}

}  // namespace mercer
