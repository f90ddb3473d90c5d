// Linear machines f(x) = w . x + b, found through their structure instead of a kernel matrix.
//
//   min  1/2 |w|^2 + sum_k sums_k b_k + sum_i loss_i(f(x_i))
//   loss_i(f) = max over lower_i <= c <= upper_i of  c (slope_i - f) - kink_i |c| - c^2 / (2 weight_i)
//
// The c are the dual variables, and w = sum_i c_i x_i. With bounds [0, C] or [-C, 0], slopes of +-1 and no weight this
// is the hinge loss; with bounds [-C, C] and a kink that of regression with a tube; with weights 2C and bounds that are
// infinite on the same sides, their squares.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/linear_rows.hpp"
#include "mercer/side_by_side.hpp"

namespace mercer {

struct LinearQp {
  std::span<const double> slope, lower, upper;
  std::span<const double> kink;    // empty: zero
  std::span<const double> weight;  // empty: infinite, and the bounds are finite
  std::span<const double> start;   // coefficients of a like problem to start from; may be empty
  // The offsets: whether their squares are part of |w|^2, as in LIBLINEAR, or cost nothing, and the sums of the
  // coefficients of each side that are asked for where they are free.
  bool free_offsets = false;
  std::array<double, 2> sums{0, 0};
  // How far values lie apart, about; zero where only the values themselves tell.
  double unit = 1;
};

struct LinearOptions {
  // Ends where the duality gap is within this share of the objective, and
  double gap_tol = 1e-4;
  // the optimality conditions of the machine sum c_i x_i are violated by no more than this.
  double tol = std::numeric_limits<double>::infinity();
  // Newton's systems are factored up to this many columns, and solved by conjugate gradients beyond.
  Index most_factored = 1024;
  int threads = 1;
};

struct LinearSolution {
  std::vector<double> w;     // with the offsets behind the features
  std::vector<double> coef;  // one a row
  Index steps = 0;
  Status status = Status::stalled;
};

// The method of multipliers on the dual, with Newton's steps in w.
LinearSolution solve_by_multipliers(const LinearRows& X, const LinearQp& qp, const LinearOptions& options, Stop& stop);

// One problem on some rows of the data, all where `rows` is empty.
struct LinearTask {
  LinearQp qp;
  std::span<const Index> rows;
  OffsetColumns offsets;
};

// Descent in one dual variable at a time, in a random order: for many features, of which a row has few. The offsets
// must not be free.
LinearSolution solve_by_coordinates(const Matrix& X, const LinearTask& task, const LinearOptions& options,
                                    std::uint64_t seed, Stop& stop);

enum class LinearMethod { multipliers, coordinates };

// Solves independent problems on the same data: several side by side with one thread each, one with all threads.
std::vector<LinearSolution> solve_linear(const Matrix& X, const std::vector<LinearTask>& tasks, LinearMethod method,
                                         const LinearOptions& options, std::uint64_t seed, const Limits& limits,
                                         const Stop::Report& report);

}  // namespace mercer
