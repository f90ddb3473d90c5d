// How the tiles are parted among threads: over the queries or, where these are few, over the centres.
#pragma once

#include "mercer/view.hpp"

namespace mercer {

struct Split {
  Index ranges;             // of centres; one where chunks of queries are worked on instead
  Index centres_per_range;  // whole tiles
};

// Depends on sizes alone, so that the order of sums does too. `results_per_query` numbers are kept for each query and
// range until the ranges are merged.
Split split_centres(Index queries, Index centres, Index results_per_query);

}  // namespace mercer
