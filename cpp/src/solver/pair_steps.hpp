// Two-variable steps on a block of the problem whose kernel values are at hand.
#pragma once

#include "mercer/simd.hpp"
#include "state.hpp"

namespace mercer {

template <class T>
struct PairSteps {
  Block<T> block;  // the kernel values among the rows of the state
  double tol;      // on the violation within the block
  Index max_steps;
};

// Solves      the box QP on `state`, whose values it keeps up to date
// Given       the kernel values among its rows
// Returns     the number of steps taken
// Stops when  the violation within the block is at most tol, at max_steps, or where no step changes a coefficient
// See         Fan, Chen, Lin (2005), Working set selection using second order information, algorithm WSS 2
template <class T>
Index descend_by_pairs(State& state, const PairSteps<T>& task, Stop& stop);

}  // namespace mercer
