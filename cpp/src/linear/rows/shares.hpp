// Rows shared out to threads in consecutive parts, each with sums of its own: how many depends on the rows alone, so
// that results do not depend on the number of threads.
#pragma once

#include <algorithm>

#include "mercer/linear_rows.hpp"
#include "mercer/pool.hpp"

namespace mercer {

constexpr Index rows_per_share = 512;
constexpr Index most_shares = 16;

// Into how many shares rows are parted, each of `least` or more of them.
inline Index count_shares(Index rows, Index least = rows_per_share, Index most = most_shares) {
  return std::clamp<Index>(rows / least, 1, most);
}

// Calls body(share, first, last) for each share of so many rows.
template <class Body>
void for_each_share(Index shares, Index rows, int threads, Stop& stop, Body body) {
  parallel_for(
      shares, threads,
      [&](Index share) { body(static_cast<std::size_t>(share), rows * share / shares, rows * (share + 1) / shares); },
      &stop);
}

// The shares of a list of rows.
class RowShares {
 public:
  RowShares(RowList list, int threads, Stop& stop) : list_(list), threads_(threads), stop_(stop) {}

  // Calls body(its rows, the position of the first of them in the list) for every share.
  template <class Body>
  void each(Body body) const {
    each_of(count_shares(size()), [&](std::size_t, RowList part, std::size_t first) { body(part, first); });
  }

  // out[0, count) += what body(its rows, position of the first, sum of the share) adds up.
  template <class Body>
  void sum(double* out, Index count, Body body) const {
    const Index shares = count_shares(size(), std::max(rows_per_share, count / sums_per_row));
    std::vector<std::vector<double>> sums(static_cast<std::size_t>(shares));
    each_of(shares, [&](std::size_t share, RowList part, std::size_t first) {
      sums[share].assign(static_cast<std::size_t>(count), 0.0);
      body(part, first, sums[share].data());
    });
    for (const std::vector<double>& sum : sums)
      for (std::size_t j = 0; j < sum.size(); ++j) out[j] += sum[j];
  }

 private:
  // A share of fewer rows than its sums divided by this would spend its time on clearing and adding them up.
  static constexpr Index sums_per_row = 64;

  Index size() const { return static_cast<Index>(list_.size()); }

  template <class Body>
  void each_of(Index shares, Body body) const {
    for_each_share(shares, size(), threads_, stop_, [&](std::size_t share, Index first, Index last) {
      const auto at = static_cast<std::size_t>(first);
      body(share, list_.subspan(at, static_cast<std::size_t>(last - first)), at);
    });
  }

  RowList list_;
  int threads_;
  Stop& stop_;
};

}  // namespace mercer
