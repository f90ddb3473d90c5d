// Which rows to work on next, and which can rest.
#pragma once

#include "state.hpp"

namespace mercer {

// `size` rows in increasing order: up to half of them from the previous set, its free ones first; the others the worst
// violators of both sides. The maximal violating pair is always among them.
std::vector<Index> choose_working_set(const State& state, const std::vector<Index>& previous, Index size);

// Rows that are free or might still violate: all but those at a bound whose value lies beyond the other side's extreme.
std::vector<Index> rows_that_may_move(const State& state);

}  // namespace mercer
