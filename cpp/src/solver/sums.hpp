// The sums that coefficients must have, where they are not zero: samples begin without weight and are given their
// share.
#pragma once

#include "state.hpp"

namespace mercer {

// Whether the coefficients have these sums, but for rounding.
bool has_sums(const State& state, const Sums& wanted);

// Gives the first `rows` rows their share of the sums, where it is missing: to those that gain most by it, or, where
// values tell nothing, to the last. True where a coefficient changed; values are left as they are.
bool project_to_sums(State& state, Index rows, const Sums& wanted, bool by_gain);

}  // namespace mercer
