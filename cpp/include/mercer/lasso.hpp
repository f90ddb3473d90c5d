// Linear classifiers f(x) = w . x + b with a penalty on the absolute values of their weights, so that many are zero.
//
//   min  sum_j |w_j| + sum_i C_i max(0, 1 - t_i f(x_i))^2
//   max  sum_i c_i t_i - c_i^2 / (4 C_i)   with  c_i t_i >= 0  and  |sum_i c_i x_ij| <= 1 for every j
//
// Of a LinearProblem these are the slopes t, +1 or -1, and the weights 2 C, zero for rows that do not count; bounds,
// kinks and sums follow from the loss, and are not read. A start is one of weights. The offset is the weight of one
// more column, penalised like the others, as in LIBLINEAR, or free; where it is free, the dual variables c add up to
// zero.
#pragma once

#include <vector>

#include "mercer/linear_problem.hpp"
#include "mercer/side_by_side.hpp"

namespace mercer {

struct LassoOptions : LinearOptions {
  LassoOptions() { most_factored = 2048; }
  // With no more columns than this all are worked on at once, else sets of them that matter.
  Index most_whole = 512;
};

// The dual variables that it returns are feasible up to rounding.
LinearSolution solve_lasso(const Matrix& X, const LinearProblem& problem, const LassoOptions& options, Stop& stop);

// Solves independent problems on the same data: several side by side with one thread each, one with all threads.
std::vector<LinearSolution> solve_lassos(const Matrix& X, const std::vector<LinearProblem>& problems,
                                         const LassoOptions& options, const Limits& limits, const Stop::Report& report);

}  // namespace mercer
