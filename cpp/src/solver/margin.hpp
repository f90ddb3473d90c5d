// Whether data without upper bounds can be separated: what a feasible point proves of the margin.
#pragma once

#include "state.hpp"

namespace mercer {

// Whether any separating hyperplane has a margin below `least` times the root of `squared_norm`. A feasible direction
// bounds the margin by |w| / sum of alpha.
bool is_margin_below(double least, double squared_norm, const State& state);

}  // namespace mercer
