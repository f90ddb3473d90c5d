// One query and the rows that may be in its window, about the query itself.
#pragma once

#include <span>
#include <vector>

#include "local/careful.hpp"
#include "local/monomials.hpp"
#include "local/system.hpp"
#include "mercer/local.hpp"

namespace mercer {

// Room for one query after the other; one for each thread.
class ListedFit {
 public:
  ListedFit(const CloudTask& task, const LocalModel& model);

  // Where `kernel` is not null, it has room for all rows, is zero, and has the equivalent kernel
  // after it.
  void fit(Index query, std::span<const std::int64_t> rows, LocalFit& out, double* kernel = nullptr);

 private:
  // Those that weigh something: their features, less those of the query, and what they weigh.
  void gather(Index query, std::span<const std::int64_t> rows);
  void sum_moments();
  void fit_carefully(LocalFit& out, double* kernel) const;

  const CloudTask& task_;
  const LocalModel& model_;
  Index d_, targets_;
  Monomials monomials_;
  Index padded_;  // columns of a panel: monomials, targets, zeros
  LocalSystem system_;
  double unit_ = 1;
  std::vector<std::int64_t> chosen_;
  std::vector<double> columns_, prior_, weights_, apart_, panel_, squared_panel_, gram_, squared_gram_;
};

}  // namespace mercer
