// Exact nearest neighbours by Euclidean distance: screened in float32 with a rigorous bound, settled in float64.
//
// Rows are given twice: as they are, and rotated to directions of which the first tell most; of the last ones the norm
// is enough. What directions that are not looked at can add to a dot product is bounded by Cauchy and Schwarz, so the
// first few rule out most rows.
#pragma once

#include <vector>

#include "mercer/buffer.hpp"
#include "mercer/pool.hpp"
#include "mercer/view.hpp"

namespace mercer {

// Some features of rotated rows, and the norms of what is left of them.
struct Rotated {
  Dense<float> features;
  std::span<const float> remainders;
};

// The norm of what comes after some features, rounded up to float32.
float norm_after(const Rotated& rows, Index row, Index features);
double squared_norm(const Rotated& rows, Index row);

// Rotated rows, made ready to be searched. Their squared norms must be far from the ends of float32.
class NeighbourIndex {
 public:
  // `stages` ascend up to the number of features: how many are looked at before rows are ruled out, the first of all
  // rows, the others of those that are left. It keeps a view of the rows, and a copy of the features of the first.
  NeighbourIndex(const Rotated& rows, std::vector<Index> stages, Stop* stop = nullptr);

  Index size() const { return rows_.features.rows; }
  Index features() const { return rows_.features.cols; }
  const std::vector<Index>& stages() const { return stages_; }
  const float* row(Index i) const { return rows_.features.row(i); }
  double squared_norm(Index i) const { return norms_[static_cast<std::size_t>(i)]; }
  // The norm of what comes after a stage, rounded up.
  float rest(std::size_t stage, Index i) const { return rests_[stage][static_cast<std::size_t>(i)]; }
  // The features of the first stage, the norm of the rest and the squared norm of each row, in panels.
  const float* panel(Index number) const;
  Index panel_features() const { return stages_.front() + 2; }
  // The largest norm of the rows of a block.
  double largest_norm(Index block) const { return largest_[static_cast<std::size_t>(block)]; }

  // Rows that are screened together.
  static constexpr Index block_rows = 8192;

 private:
  Rotated rows_;
  std::vector<Index> stages_;
  std::vector<double> norms_, largest_;
  std::vector<std::vector<float>> rests_;
  Buffer<float> panels_;
};

struct NeighbourTask {
  const NeighbourIndex& index;
  Matrix rows, queries;  // dense, as they are
  Rotated rotated;       // the queries
  double unit;           // a distance of rotated rows is one of rows times this
  double slack;          // how far rounding may have moved the distance of two rotated rows
  // The row that a query must not find, itself; below zero for none. Empty: no query has one.
  std::span<const std::int64_t> excluded;
  // Of each row, whether it must not be found by anybody. Empty: none is forgotten.
  std::span<const std::uint8_t> forgotten = {};
};

// What it took: pairs that passed each stage, and those that were settled in float64.
struct NeighbourCounts {
  Index pairs = 0;
  Index screened = 0;
  Index settled = 0;
};

// The `k` nearest rows of each query, nearest first, of equal distances the lower number first; -1 and infinity where
// there are fewer. Distances are squared.
struct Nearest {
  std::vector<std::int64_t> rows;
  std::vector<double> squared;
  NeighbourCounts counts;
};
Nearest nearest(const NeighbourTask& task, Index k, const Workers& workers);

// All rows within a distance of each query, with that, in the order of their numbers.
struct Within {
  std::vector<std::int64_t> begins;  // of each query, and the end
  std::vector<std::int64_t> rows;
  std::vector<double> squared;
  NeighbourCounts counts;
};
Within within(const NeighbourTask& task, double radius, const Workers& workers);

}  // namespace mercer
