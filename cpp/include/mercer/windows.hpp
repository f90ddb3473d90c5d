// Sums over windows: of each query, what rows count by their distance from it, times coefficients.
//
// Rows stand in a tree of boxes. Between the box of some queries and one of rows the window has a least and a largest
// value; where these are so close that the sum can be told from them, the rows need not be looked at. That is so beyond
// the edge of a window, deep inside a top hat, and where rows are too far to change the last bit of what is summed.
#pragma once

#include <vector>

#include "mercer/buffer.hpp"
#include "mercer/pool.hpp"
#include "mercer/window_loops.hpp"

namespace mercer {

// Rows in an order in which neighbours stand together, with boxes around runs of them. A run is split at a multiple of
// the leaf's size, so that all leaves but the last are full.
class BoxTree {
 public:
  struct Node {
    Index first, last;  // places in the order
    Index left, right;  // -1 of a leaf
    double largest_norm;
    bool is_leaf() const { return left < 0; }
  };

  BoxTree(const Dense<double>& rows, Index leaf, Stop* stop = nullptr);

  Index size() const { return static_cast<Index>(order_.size()); }
  Index features() const { return d_; }
  const std::vector<Index>& order() const { return order_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const double* low(Index node) const { return low_.data() + node * d_; }
  const double* high(Index node) const { return high_.data() + node * d_; }
  // Of the row at a place in the order, and its squared norm.
  const double* row(Index place) const { return rows_.data() + place * d_; }
  const double* norms() const { return norms_.data(); }

 private:
  Index split(const Dense<double>& rows, Index first, Index last, Index leaf, Stop* stop);

  Index d_;
  std::vector<Index> order_;
  std::vector<Node> nodes_;
  std::vector<double> low_, high_, norms_;
  std::vector<double> rows_;
};

// Rows made ready to be summed over.
class WindowRows {
 public:
  static constexpr Index leaf_rows = 64;

  explicit WindowRows(const Dense<double>& rows, Stop* stop = nullptr);
  const BoxTree& tree() const { return tree_; }
  // The rows from a place on, a multiple of the leaf's size, in panels, and their squared norms, which are padded.
  const double* panel(Index place) const { return panels_.data() + place * tree_.features(); }
  const double* norms(Index place) const { return norms_.data() + place; }
  // Where a row stands.
  Index place(Index row) const { return places_[static_cast<std::size_t>(row)]; }
  Index padded() const { return norms_.size(); }

 private:
  BoxTree tree_;
  Buffer<double> panels_, norms_;
  std::vector<Index> places_;
};

struct WindowTask {
  const WindowRows& rows;
  Dense<double> queries;
  // The row that does not count for a query, itself; below zero for none. Empty: no query has one.
  std::span<const std::int64_t> excluded;
  Profile profile;
  std::span<const double> scale;    // of each row (WindowRow)
  std::span<const double> factors;  // of the squared distances, one a bandwidth, ascending (WindowChain)
  Dense<double> coef;               // an output a row; those of the first are weights, not negative
  std::span<const double> nearest;  // what exponents are told from (nearest_in_windows); empty: zero
  // The error that a sum may have beside rounding, at every bandwidth: of the first output, a number and a share of it;
  // of the others as much, times their largest coefficient over its weight.
  std::span<const double> absolute;
  double relative;
};

// Of each query, bandwidth and output in turn. Unbounded profiles are divided by their value at the nearest row, where
// that is given.
void sum_windows(const WindowTask& task, const Workers& workers, double* out);

// Of each query, in turn: sums at the bandwidths of the table as shares of the window at the nearest row, how far they
// are off at most, and the nearest (nearest_in_windows). `sums` and `errors` have table.stride numbers a query.
struct BinnedSums {
  double *sums, *errors, *nearest;
};

// Sums of an unbounded profile over rows of one output, by bins of the distances. Of the factors of the task only the
// largest matters, to the rounding of distances.
void sum_binned_windows(const WindowTask& task, const BinTable& table, const Workers& workers, const BinnedSums& out);

// The least squared distance times scale of each query, from the rows that count for it.
void nearest_in_windows(const WindowTask& task, const Workers& workers, double* out);

}  // namespace mercer
