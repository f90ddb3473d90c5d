#include "split.hpp"

#include <algorithm>

#include "mercer/tile.hpp"

namespace mercer {
namespace {

// More queries than this make chunks enough for the threads of most machines.
constexpr Index few_queries = 768;

// A range takes a single query of a few features about as long as it takes a thread to wake up.
constexpr Index least_centres_per_range = 4096;

// As many as the threads of a large machine.
constexpr Index most_ranges = 32;

// Numbers kept for all ranges together: 32 MB.
constexpr Index most_results = 4'000'000;

}  // namespace

Split split_centres(Index queries, Index centres, Index results_per_query) {
  const Index results = std::max<Index>(1, queries * results_per_query);
  Index ranges = std::min({most_ranges, centres / least_centres_per_range, most_results / results});
  if (queries > few_queries || ranges < 2) return {1, centres};
  constexpr Index tile = Tile<float>::max_centres;
  static_assert(tile == Tile<double>::max_centres);
  const Index tiles = (centres + tile - 1) / tile, tiles_per_range = (tiles + ranges - 1) / ranges;
  ranges = (tiles + tiles_per_range - 1) / tiles_per_range;
  return {ranges, tiles_per_range * tile};
}

}  // namespace mercer
