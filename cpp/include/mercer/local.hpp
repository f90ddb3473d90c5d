// Local regression: around each query a polynomial, by least squares with the weights of a window.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/local_loops.hpp"
#include "mercer/pool.hpp"
#include "mercer/view.hpp"

namespace mercer {

// What the windows are and what is fitted in them.
struct LocalModel {
  Window window;
  Index order;   // of the polynomials
  double ridge;  // a system whose least pivot is below this share of its diagonal has that share added to it
  bool squares;  // whether the sums of squares of the equivalent kernels are asked for
};

// `single`: one row weighs all there is. `ridged`: the rows of the window do not determine the polynomial by
// themselves.
enum class LocalState : std::uint8_t { solved, ridged, single, empty };

// Of each query. The prediction is sum_j l_j y_j; l is the equivalent kernel.
struct LocalFits {
  std::vector<double> values;   // queries x targets; NaN where a window is empty
  std::vector<double> inverse;  // what a row at the query that weighs one would contribute to the prediction there
  std::vector<double> squares;  // sum l_j^2 noise_j: the variance of the prediction
  std::vector<std::uint8_t> states;

  LocalFits(Index queries, Index targets, bool asks_squares);
};

// Rows of one feature in ascending order; of each query the run of rows that may be in its window.
struct LineTask {
  LineRows rows;
  std::span<const double> queries, inverse_radius;
  std::span<const std::int64_t> begins, ends;
};
LocalFits fit_line(const LineTask& task, const LocalModel& model, const Workers& workers);

// Rows of several features and several targets; of each query the rows that may be in its window, or all.
struct CloudTask {
  Dense<double> rows, targets;
  std::span<const double> prior, noise;
  Dense<double> queries;
  std::span<const double> inverse_radius;
  std::span<const std::int64_t> begins, list;  // rows of query q from begins[q] on; empty: all rows
};
LocalFits fit_cloud(const CloudTask& task, const LocalModel& model, const Workers& workers);
// The equivalent kernels: queries x rows, of the first target's systems.
std::vector<double> equivalent_kernels(const CloudTask& task, const LocalModel& model, const Workers& workers);

// The distance of the k-th nearest row from each query.
std::vector<double> kth_distances(const Dense<double>& rows, const Dense<double>& queries, Index k,
                                  const Workers& workers);

// Places in ascending x where LOWESS fits; between them, which lie no farther apart than delta unless nothing is
// between, it interpolates. The first of equal values stands for all.
std::vector<std::int64_t> lowess_anchors(std::span<const double> x, double delta);

}  // namespace mercer
