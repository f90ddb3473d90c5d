// Newton steps on the free variables, for problems so badly conditioned that pairs alone would take for ever.
#pragma once

#include "state.hpp"

namespace mercer {

// Solves      the box QP over the variables that are free, with those at a bound held there
// Given       the kernel values among the rows of `state`
// Returns     whether a coefficient changed; values are kept up to date
// Stops when  the free values agree to `tol`, or after `newton_most_steps`; a variable that meets a bound stays there
// See         Nocedal, Wright (2006), Numerical Optimization, section 16.5
template <class T>
bool descend_by_newton(State& state, const Block<T>& block, double tol, Stop& stop);

// More free variables than this are left to the pairs: their matrix would cost more than it gains.
inline constexpr Index newton_most_free = 2048;
inline constexpr int newton_most_steps = 40;

}  // namespace mercer
