// Exact nearest neighbours among rows with missing values, which are NaN.
//
// The squared distance of two rows is the sum over the features that both have, times the number of all features over
// that of these. Rows without a common feature have none. Where m says which features a row has, and rows are zero
// where they have none, the sum is q^2 . m_x + m_q . x^2 - 2 q . x and the number m_q . m_x: whether a row is within
// reach of a query is one product of three times as many features, which is computed in float32 with a bound on its
// rounding.
#pragma once

#include "mercer/buffer.hpp"
#include "mercer/neighbours.hpp"

namespace mercer {

class MaskedIndex {
 public:
  // It keeps a view of the rows.
  explicit MaskedIndex(const Dense<double>& rows, Stop* stop = nullptr);

  const Dense<double>& rows() const { return rows_; }
  bool has(Index row, Index feature) const;
  Index rows_with(Index feature) const { return with_[static_cast<std::size_t>(feature)]; }

  // Centred and scaled, so that float32 holds its square; zero where it is missing.
  double scaled(double value, Index feature) const;
  double unit() const { return unit_; }
  // m, x^2 and x of rows, in panels.
  const float* panel(Index number) const { return panels_.data() + number * panel_features() * lanes_; }
  Index panel_features() const { return 3 * rows_.cols; }
  // The largest norm of the rows of a block, scaled.
  double largest_norm(Index block) const { return largest_[static_cast<std::size_t>(block)]; }

  // Rows that are screened together.
  static constexpr Index block_rows = 2048;

 private:
  static const Index lanes_;

  Dense<double> rows_;
  std::vector<double> centre_, largest_;
  std::vector<Index> with_;
  double unit_ = 1;
  Buffer<float> panels_;
};

struct MaskedTask {
  const MaskedIndex& index;
  Dense<double> queries;
  std::span<const std::int64_t> excluded;   // as in NeighbourTask
  std::span<const std::uint8_t> forgotten;  // as there
};

// As of whole rows. Rows without a common feature come last, in the order of their numbers; their distance is NaN.
Nearest nearest(const MaskedTask& task, Index k, const Workers& workers);
Within within(const MaskedTask& task, double radius, const Workers& workers);

// Features of queries: those of query i from begins[i] on.
struct Wanted {
  std::span<const std::int64_t> begins;
  std::span<const std::int64_t> features;
};

// For each wanted feature of each query the `k` nearest rows that have it; -1 and infinity where there are fewer.
Nearest donors(const MaskedTask& task, const Wanted& wanted, Index k, const Workers& workers);

}  // namespace mercer
