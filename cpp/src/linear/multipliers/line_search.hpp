// How far to go along a step on a convex, piecewise quadratic objective.
#pragma once

#include <functional>

#include "mercer/losses.hpp"

namespace mercer {

// To its end, t = 1, or to where the slope has nearly vanished. The objective has slope `start.first` at the start, of
// which the penalty makes it rise by `start.second` t, and the rows by what `of_rows(t).first` says; `at_end` is that
// of the rows at t = 1.
double search_along(LossSlope start, LossSlope at_end, const std::function<LossSlope(double)>& of_rows);

}  // namespace mercer
