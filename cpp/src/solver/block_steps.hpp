// The steps on a block of the problem whose kernel values are at hand: pairs, and Newton steps where they take long.
#pragma once

#include "pair_steps.hpp"

namespace mercer {

// Solves      the box QP on `state`, whose values it keeps up to date
// Given       the kernel values among its rows, and whether these may be too inexact for the tolerance
// Returns     the number of pair steps taken
// Stops when  the violation within the block is at most tol, or at the step limit of `stop`; throws Stopped as stalled
//             where inexact kernel values take too many steps
// See         pair_steps.hpp, newton_steps.hpp
template <class T>
Index descend_in_block(State& state, const Block<T>& block, double tol, bool is_doubtful, Stop& stop);

}  // namespace mercer
