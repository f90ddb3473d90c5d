// Which rows to work on next, and which can rest.
#pragma once

#include "state.hpp"

namespace mercer {

// `size` rows in increasing order: up to half of them from the previous set, its free ones first; the others the worst
// violators of both sides. The maximal violating pair is always among them.
std::vector<Index> choose_working_set(const State& state, const std::vector<Index>& previous, Index size);

// What the active set is chosen by.
struct Activation {
  Sums pivots;          // about where the values of free rows lie
  double margin;        // rows at a bound that are nearer to violating than this are active
  Index most_new;       // the worst violators first
  Index all_below = 0;  // fewer known rows than this are all active
};

// The rows among the first `known` that are active: all of them where they are few; else the free ones, and those at a
// bound that violate or nearly do. Rows not active before come in up to `most_new` of them; the maximal violating pair
// always does. In increasing order.
std::vector<Index> choose_active(const State& state, Index known, const std::vector<bool>& active_before,
                                 const Activation& how);

}  // namespace mercer
