// Linear classifiers f(x) = w . x + b whose weights are priced by their absolute values, so that many are zero.
//
//   min  sum_j |w_j| + sum_i C_i max(0, 1 - t_i f(x_i))^2
//   max  sum_i c_i t_i - c_i^2 / (4 C_i)   with  c_i t_i >= 0  and  |sum_i c_i x_ij| <= 1 for every j
//
// The offset is the weight of one more column, priced like the others, as in LIBLINEAR, or free; where it is free, the
// dual variables c add up to zero.
#pragma once

#include <span>
#include <vector>

#include "mercer/side_by_side.hpp"

namespace mercer {

struct LassoProblem {
  std::span<const double> signs;   // t, +1 or -1
  std::span<const double> bounds;  // C, zero for rows that do not count
  double offset = 0;               // the value of the offset column; zero where there is none
  bool free_offset = false;
  std::span<const double> start;  // w of a like problem to start from, with its offset; may be empty
};

struct LassoOptions {
  // Ends where the duality gap is within this share of the objective.
  double gap_tol = 1e-4;
  // With no more columns than this all are worked on at once, else sets of them that matter.
  Index most_whole = 512;
  // Newton's model is minimised through its matrix up to this many columns, and column by column of the data beyond.
  Index most_factored = 2048;
  int threads = 1;
};

struct LassoSolution {
  std::vector<double> w;     // with the offset behind the features
  std::vector<double> coef;  // c, feasible up to rounding, one a row
  Index steps = 0;           // Newton's
  Status status = Status::stalled;
};

LassoSolution solve_lasso(const Matrix& X, const LassoProblem& problem, const LassoOptions& options, Stop& stop);

// Solves independent problems on the same data: several side by side with one thread each, one with all threads.
std::vector<LassoSolution> solve_lassos(const Matrix& X, const std::vector<LassoProblem>& problems,
                                        const LassoOptions& options, const Limits& limits, const Stop::Report& report);

}  // namespace mercer
