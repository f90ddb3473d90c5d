// What the solvers of linear machines f(x) = w . x + b are given, and what they return.
//
//   min  penalty(w) + sum_k sums_k b_k + sum_i loss_i(f(x_i))
//   loss_i(f) = max over lower_i <= c <= upper_i of  c (slope_i - f) - kink_i |c| - c^2 / (2 weight_i)
//
// The c are the dual variables. With bounds [0, C] or [-C, 0], slopes of +-1 and no weight this is the hinge loss; with
// bounds [-C, C] and a kink that of regression with a tube; with weights 2C and bounds that are infinite on the same
// sides, their squares. The penalty is 1/2 |w|^2 where nothing else is said, and then w = sum_i c_i x_i.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mercer/linear_rows.hpp"

namespace mercer {

struct LinearProblem {
  std::span<const double> slope, lower, upper;
  std::span<const double> kink;    // empty: zero
  std::span<const double> weight;  // empty: infinite, and the bounds are finite
  // What a like problem led to, to start from: dual variables, unless the solver asks for weights; may be empty.
  std::span<const double> start;
  std::span<const Index> rows;  // of the data, one for each loss; empty: all
  OffsetColumns offsets;
  // Whether the offsets cost nothing, or are penalised like other weights, as in LIBLINEAR; and the sums of the
  // coefficients of each side that are asked for where they are free.
  bool free_offsets = false;
  std::array<double, 2> sums{0, 0};
  // How far values lie apart, about; zero where only the values themselves tell.
  double unit = 1;
};

struct LinearOptions {
  // Ends where the duality gap is within this share of the objective, and
  double gap_tol = 1e-4;
  // the optimality conditions of the machine sum c_i x_i are violated by no more than this, if the method looks at
  // them.
  double tol = std::numeric_limits<double>::infinity();
  // Newton's systems are solved through their matrix up to this many columns, and without it beyond.
  Index most_factored = 1024;
  std::uint64_t seed = 0;  // of the order in which rows are visited, where that is random
  int threads = 1;
};

struct LinearSolution {
  std::vector<double> w;     // with the offsets behind the features
  std::vector<double> coef;  // the dual variables, one for each row
  Index steps = 0;
  Status status = Status::stalled;
};

}  // namespace mercer
