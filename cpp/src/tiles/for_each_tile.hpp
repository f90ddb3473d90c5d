// The one loop over tiles of kernel values. What is done with them is a reduction.
//
// A reduction knows nothing of threads. It works on parts, the results of some consecutive queries: those that stay,
// and spare ones for further ranges of centres, which are merged into the first in the order of the ranges. Chunks of
// queries and ranges of centres depend on sizes alone, so the bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <vector>

#include "mercer/pool.hpp"
#include "placed_tile.hpp"
#include "split.hpp"

namespace mercer {

template <class R, class T>
concept Reduction = requires(const R& reduction, typename R::Part& part, PlacedTile<T>& tile, Index number) {
  // Threads take this many queries at a time.
  { R::queries_per_chunk } -> std::convertible_to<Index>;
  // How many numbers a spare part holds for each query.
  { reduction.spare_results() } -> std::same_as<Index>;
  // The first centre that a query asks for: none before it is looked at.
  { reduction.first_centre(number) } -> std::same_as<Index>;
  // The results of some queries, given the number of the first and how many: those that stay, and fresh ones.
  { reduction.part(number, number) } -> std::same_as<typename R::Part>;
  { reduction.spare_part(number, number) } -> std::same_as<typename R::Part>;
  // Takes in a tile. Those of a part come in the order of the centres.
  reduction.add(tile, part);
  // Takes in the results of the same queries over later centres.
  reduction.merge(part, part);
};

// Adds the tiles of some queries and some centres to a part.
template <class T, Reduction<T> R>
void add_tiles(const R& reduction, typename R::Part& part, Tile<T>& tile, const Slice<T>& queries,
               const Slice<T>& centres) {
  for (Index row = 0; row < queries.size(); row += Tile<T>::max_queries) {
    const Index asked_for = reduction.first_centre(queries.number() + row) - centres.number();
    for (Index column = std::max<Index>(0, asked_for); column < centres.size(); column += Tile<T>::max_centres) {
      PlacedTile<T> placed(tile, queries, row, centres, column);
      reduction.add(placed, part);
    }
  }
}

// Calls use(slice) for the rows first..last, as many at a time as should be in memory together.
template <class T, class Use>
void for_each_slice(const Operand<T>& rows, Index first, Index last, Use use) {
  for (Index from = first; from < last; from += rows.rows_at_once())
    use(rows.slice(from, std::min(last, from + rows.rows_at_once())));
}

template <class T, Reduction<T> R>
void for_each_tile_by_queries(const Kernel& kernel, const Operand<T>& queries, const Operand<T>& centres,
                              const R& reduction, const Workers& workers) {
  const Index n = queries.size(), chunks = (n + R::queries_per_chunk - 1) / R::queries_per_chunk;
  for_each_slice(centres, 0, centres.size(), [&](const Slice<T>& slice) {
    parallel_for(
        chunks, workers.threads,
        [&](Index chunk) {
          const Index first = chunk * R::queries_per_chunk, last = std::min(n, first + R::queries_per_chunk);
          typename R::Part part = reduction.part(first, last - first);
          Tile<T> tile(kernel);
          add_tiles(reduction, part, tile, queries.slice(first, last), slice);
        },
        workers.stop);
  });
}

template <class T, Reduction<T> R>
void for_each_tile_by_centres(const Kernel& kernel, const Operand<T>& queries, const Operand<T>& centres,
                              const R& reduction, const Split& split, const Workers& workers) {
  const Index n = queries.size();
  const Slice<T> all_queries = queries.slice(0, n);
  std::vector<typename R::Part> parts;
  parts.push_back(reduction.part(0, n));
  while (static_cast<Index>(parts.size()) < split.ranges) parts.push_back(reduction.spare_part(0, n));
  parallel_for(
      split.ranges, workers.threads,
      [&](Index range) {
        Tile<T> tile(kernel);
        const Index first = range * split.centres_per_range;
        const Index last = std::min(centres.size(), first + split.centres_per_range);
        for_each_slice(centres, first, last, [&](const Slice<T>& slice) {
          add_tiles(reduction, parts[static_cast<std::size_t>(range)], tile, all_queries, slice);
        });
      },
      workers.stop);
  for (std::size_t later = 1; later < parts.size(); ++later) reduction.merge(parts.front(), parts[later]);
}

// Adds every tile of `queries` and `centres` to the results of a reduction.
template <class T, Reduction<T> R>
void for_each_tile(const Kernel& kernel, const Operand<T>& queries, const Operand<T>& centres, const R& reduction,
                   const Workers& workers) {
  const Split split = split_centres(queries.size(), centres.size(), reduction.spare_results());
  if (split.ranges > 1)
    for_each_tile_by_centres(kernel, queries, centres, reduction, split, workers);
  else
    for_each_tile_by_queries(kernel, queries, centres, reduction, workers);
}

}  // namespace mercer
