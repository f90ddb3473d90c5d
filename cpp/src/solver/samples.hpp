// Samples of the rows, each the beginning of the next: what is solved first, so that the whole starts near its optimum.
#pragma once

#include <vector>

#include "mercer/view.hpp"

namespace mercer {

// The order in which rows are sampled: shuffled, always alike, unless the first sample is all there is. The last
// `held_out` of them come last, as they are.
std::vector<Index> sample_order(Index rows, Index first_sample, Index held_out = 0);

// How many rows each sample has, the smallest first: halves of halves of the whole, which is not among them.
std::vector<Index> sample_sizes(Index rows, Index first_sample);

// The values of rows that stand in the order of the samples, in the order they were given in.
std::vector<double> in_given_order(const std::vector<double>& values, const std::vector<Index>& order);

}  // namespace mercer
