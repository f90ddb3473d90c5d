// Sums over windows in one dimension, in a time that does not depend on how many rows a window holds.
//
// Inside its edges a window is a sum of few functions of the row times functions of the query: 1 - (x - q)^2 of 1, x
// and x^2. The line is cut into cells as wide as the window is to one side, each with an origin of its own, so that
// nothing large cancels, and a window is the end of one cell and the beginning of the next: sums from both ends of
// every cell tell it. The exponential's sums decay from row to row.
//
// See: Langrene and Warin, Fast and stable multivariate kernel density estimation by fast sum updating, 2019.
#pragma once

#include <vector>

#include "mercer/pool.hpp"
#include "mercer/window_loops.hpp"

namespace mercer {

struct LineTask {
  std::span<const double> rows;  // ascending
  Dense<double> coef;            // an output a row; those of the first are weights, not negative
  std::span<const double> queries;
  std::span<const std::int64_t> excluded;  // as in WindowTask
  Profile profile;                         // any but the gaussian
  double bandwidth;                        // > 0
  bool is_closed;                          // whether a top hat counts rows at its edge
};

// Of each query and output in turn, and of the exponential the least distance in bandwidths, at whose value sums are
// one; 0 of others.
void sum_on_line(const LineTask& task, const Workers& workers, double* out, double* nearest);

}  // namespace mercer
