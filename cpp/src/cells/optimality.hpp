// How far a machine is from the optimum, by the values of its rows alone.
#pragma once

#include "mercer/cells.hpp"
#include "solver/state.hpp"

namespace mercer {

// Of coefficients whose sum is zero, with one sum.
Optimality optimality_of(const State& state);

}  // namespace mercer
