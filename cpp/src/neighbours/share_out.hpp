// Queries against blocks of rows, shared out among threads.
#pragma once

#include <algorithm>
#include <vector>

#include "found.hpp"
#include "mercer/pool.hpp"

namespace mercer {

struct Shares {
  Index queries, queries_at_once;
  Index blocks;
  // Where fewer queries than this come for each thread, rows are shared out among threads too.
  Index queries_per_thread;
  Index least_blocks_per_range;
};

// Some queries at a time; rows are shared out too where queries are few. `none` is what a query has found at first;
// `look(first, found, begin, end)` lets the queries from the first on find what there is in the blocks of a range, and
// returns what it took; `use(query, found)` is handed what a query has found in all of them.
template <class Found, class Look, class Use>
NeighbourCounts share_out(const Shares& shares, const Found& none, const Workers& workers, Look look, Use use) {
  const Index at_once = shares.queries_at_once, chunks = (shares.queries + at_once - 1) / at_once;
  const bool are_few = shares.queries < shares.queries_per_thread * workers.threads;
  const Index ranges =
      are_few ? std::clamp<Index>(shares.blocks / shares.least_blocks_per_range, 1, workers.threads) : 1;
  std::vector<NeighbourCounts> counts(static_cast<std::size_t>(chunks * ranges));
  std::vector<std::vector<Found>> found(static_cast<std::size_t>(chunks * ranges));
  parallel_for(
      chunks * ranges, workers.threads,
      [&](Index number) {
        const Index chunk = number / ranges, range = number % ranges, first = chunk * at_once;
        const Index count = std::min(at_once, shares.queries - first);
        std::vector<Found>& own = at(found, number);
        own.assign(static_cast<std::size_t>(count), none);
        at(counts, number) = look(first, own, range * shares.blocks / ranges, (range + 1) * shares.blocks / ranges);
        if (ranges > 1) return;
        for (Index q = 0; q < count; ++q) use(first + q, at(own, q));
        own.clear();
      },
      workers.stop);
  if (ranges > 1)
    for (Index query = 0; query < shares.queries; ++query) {
      const Index chunk = query / at_once, place = query % at_once;
      Found all = none;
      for (Index range = 0; range < ranges; ++range)
        for (const Neighbour& one : at(at(found, chunk * ranges + range), place).found()) all.take(one);
      use(query, all);
    }
  return total_of(counts);
}

}  // namespace mercer
