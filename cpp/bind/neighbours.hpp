// What searches for neighbours are given and return, as arrays.
#pragma once

#include <utility>

#include "arrays.hpp"
#include "mercer/neighbours.hpp"
#include "report.hpp"

namespace mercer::bind {

template <class T>
auto array_of(const std::vector<T>& values) {
  auto out = new_array<T, 1>({values.size()});
  std::ranges::copy(values, out.data());
  return out;
}

inline nb::tuple counts_of(const NeighbourCounts& counts) {
  return nb::make_tuple(counts.pairs, counts.screened, counts.settled);
}

inline nb::tuple tuple_of(const Nearest& found) {
  return nb::make_tuple(array_of(found.rows), array_of(found.squared), counts_of(found.counts));
}

inline nb::tuple tuple_of(const Within& found) {
  return nb::make_tuple(array_of(found.begins), array_of(found.rows), array_of(found.squared), counts_of(found.counts));
}

// Throws std::invalid_argument unless there is one for each, or none at all.
inline void check_left_out(const Vector<std::int64_t>& excluded, Index queries, const Vector<std::uint8_t>& forgotten,
                           Index rows) {
  const bool fits = (excluded.size() == 0 || static_cast<Index>(excluded.size()) == queries) &&
                    (forgotten.size() == 0 || static_cast<Index>(forgotten.size()) == rows);
  if (!fits) throw std::invalid_argument("rows that are left out differ in number from queries or rows");
}

inline void check_count(Index k) {
  if (k < 1) throw std::invalid_argument("there must be a neighbour to look for");
}

// Runs a search without the GIL, so that Ctrl-C is heard.
template <class Run>
nb::tuple searched(int threads, Run run) {
  Stop stop = interruptible();
  decltype(run(Workers{threads, &stop})) found;
  {
    const WithoutGil released;
    found = run(Workers{threads, &stop});
  }
  return tuple_of(found);
}

}  // namespace mercer::bind
