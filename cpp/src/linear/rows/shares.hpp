// Rows shared out to threads in consecutive parts, each with sums of its own: how many depends on the rows alone, so
// that results do not depend on the number of threads.
#pragma once

#include <algorithm>

#include "mercer/linear_rows.hpp"
#include "mercer/pool.hpp"

namespace mercer {

class RowShares {
 public:
  RowShares(RowList list, int threads, Stop& stop) : list_(list), threads_(threads), stop_(stop) {}

  // Calls body(its rows, the position of the first of them in the list) for every share.
  template <class Body>
  void each(Body body) const {
    each_of(shares_of(rows_a_share), [&](std::size_t, RowList part, std::size_t first) { body(part, first); });
  }

  // out[0, count) += what body(its rows, position of the first, sum of the share) adds up.
  template <class Body>
  void sum(double* out, Index count, Body body) const {
    std::vector<std::vector<double>> sums(
        shares_of(std::max(rows_a_share, static_cast<std::size_t>(count) / sums_a_row)));
    each_of(sums.size(), [&](std::size_t share, RowList part, std::size_t first) {
      sums[share].assign(static_cast<std::size_t>(count), 0.0);
      body(part, first, sums[share].data());
    });
    for (const std::vector<double>& sum : sums)
      for (std::size_t j = 0; j < sum.size(); ++j) out[j] += sum[j];
  }

 private:
  static constexpr std::size_t rows_a_share = 512;
  static constexpr std::size_t most_shares = 16;
  // A share of fewer rows than its sums divided by this would spend its time on clearing and adding them up.
  static constexpr std::size_t sums_a_row = 64;

  std::size_t shares_of(std::size_t rows) const { return std::clamp<std::size_t>(list_.size() / rows, 1, most_shares); }

  template <class Body>
  void each_of(std::size_t shares, Body body) const {
    parallel_for(
        static_cast<Index>(shares), threads_,
        [&](Index share) {
          const std::size_t k = static_cast<std::size_t>(share);
          const std::size_t first = list_.size() * k / shares, last = list_.size() * (k + 1) / shares;
          body(k, list_.subspan(first, last - first), first);
        },
        &stop_);
  }

  RowList list_;
  int threads_;
  Stop& stop_;
};

}  // namespace mercer
