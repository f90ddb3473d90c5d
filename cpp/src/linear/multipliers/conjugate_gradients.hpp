// Newton's steps where there are too many columns for a matrix.
#pragma once

#include "penalty.hpp"
#include "weighted_rows.hpp"

namespace mercer {

// About -H^-1 gradient, where H is the curvature of the penalty and the sum of scale * weight x x' over the rows.
std::vector<double> step_by_conjugate_gradients(const LinearRows& X, WeightedRows rows, double scale,
                                                const SquaredPenalty& penalty, const std::vector<double>& gradient,
                                                Stop& stop);

}  // namespace mercer
