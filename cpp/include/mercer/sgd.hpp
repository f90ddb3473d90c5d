// Linear machines by stochastic gradient descent.
//
//   min  1/n sum_i weight_i loss(y_i, f(x_i)) + l2 / 2 |w|^2 + l1 |w|_1 + p b,   f(x) = w . x + b
//
// One function f, or with the softmax loss one for each class. The price p of the offset is zero but for one class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/linear_rows.hpp"
#include "mercer/stop.hpp"

namespace mercer {

enum class SgdLoss {
  squared,                      // 1/2 (y - f)^2
  logistic,                     // log(1 + exp(-y f))
  softmax,                      // log(sum_c exp(f_c)) - f_y
  hinge,                        // max(0, 1 - y f), with a slope at its corner too
  squared_hinge,                // its square
  epsilon_insensitive,          // max(0, |y - f| - epsilon)
  squared_epsilon_insensitive,  // its square
  huber,                        // 1/2 (y - f)^2 up to |y - f| = epsilon, from there on a line
  modified_huber,               // max(0, 1 - y f)^2 down to y f = -1, from there on a line
  perceptron,                   // max(0, -y f), with a slope at zero too
};

// The length of the t-th step, t = 1, 2, ...
enum class SgdRate {
  constant,         // eta0
  inverse_scaling,  // eta0 / t^power_t
  optimal,          // 1 / (alpha (t0 + t - 1)), with Bottou's t0
  adaptive,         // eta0, and a fifth of it each time that passes no longer help
};

struct SgdOptions {
  SgdLoss loss = SgdLoss::hinge;
  double epsilon = 0.1;
  double l2 = 0, l1 = 0;
  SgdRate rate = SgdRate::optimal;
  double alpha = 1e-4;  // of the optimal rate
  double eta0 = 0.01;
  double power_t = 0.5;
  Index batch_size = 1;  // rows per step, over which the gradient is a mean
  Index max_passes = 1;
  // Ends where `patience` passes in a row each failed to improve on the best by this much; minus infinity never does.
  double tol = 0;
  Index patience = 5;
  Index average = 0;  // the first step from which on weights are averaged; 0: none
  bool fit_intercept = true;
  bool shuffle = true;
  double offset_price = 0;
  // Ends after a pass in which no row had a slope: without penalties no later one would change anything.
  bool until_right = false;
};

enum class SgdEnd {
  passes_done,  // as many as were asked for
  right,        // no row of the last pass had a slope
  steady,       // the objective, or the score of the rows held out, no longer improves by tol
  diverged,     // the weights left float64; those of the pass before are returned
  time_limit,
  interrupted,
};

// Rows with what is known of them.
struct SgdRows {
  const LinearRows* X = nullptr;
  std::span<const double> y;       // targets, or numbers of classes
  std::span<const double> weight;  // empty: ones
};

// Weights of all functions, a function's offset behind those of its features.
struct SgdWeights {
  std::vector<double> w;
  std::vector<double> average;
  Index updates = 0;
};

struct SgdTask {
  SgdRows training;
  SgdRows held_out;  // to judge the passes by; X is null where there are none
  // The class that is +1 where all others are -1; negative where y are targets themselves, or classes of a softmax.
  Index positive = -1;
  // What the rows of that class, and those of all others, weigh beside their own weights.
  double weight_of_positive = 1, weight_of_rest = 1;
  Index functions = 1;
  SgdWeights start;
  std::uint64_t seed = 0;
};

struct SgdResult {
  SgdWeights weights;
  Index passes = 0;
  Index pulls = 0;  // how often a row had a slope
  SgdEnd end = SgdEnd::passes_done;
};

// All tasks side by side. The results depend neither on `threads` nor on how long anything takes, unless it is stopped.
std::vector<SgdResult> descend(const std::vector<SgdTask>& tasks, const SgdOptions& options, int threads, Stop& stop);

}  // namespace mercer
