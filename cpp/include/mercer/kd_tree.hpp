// Exact nearest neighbours of rows with few features: a tree of boxes, and distances in float64.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "mercer/buffer.hpp"
#include "mercer/neighbours.hpp"
#include "mercer/simd.hpp"

namespace mercer {

// Rows in boxes, each parted at the middle of its longest side until few rows are left.
class KdTree {
 public:
  // Copies the rows, leaf by leaf. The tree is the same for any number of threads.
  KdTree(const Matrix& rows, Norm norm, const Workers& workers);

  Index size() const { return length_; }
  Index features() const { return d_; }
  Norm norm() const { return norm_; }

  // Nodes stand in the order of a heap: those below node i are 2 i + 1 and 2 i + 2.
  Index nodes() const { return 2 * leaves_ - 1; }
  Index leaves() const { return leaves_; }
  bool is_leaf(Index node) const { return node >= leaves_ - 1; }
  Index leaf_number(Index node) const { return node - (leaves_ - 1); }
  // Features with those that make whole vectors of them.
  Index padded() const { return padded_; }
  // How far a query, padded with zeros, is from the box of a node at least, in powers of the norm.
  double distance(Index node, const double* query) const {
    const double *low = boxes_.data() + node * 2 * padded_, *high = low + padded_;
    if (norm_ != Norm::euclidean || d_ > few_features)
      return ops<double>().box_distance(low, high, query, padded_, norm_);
    double total = 0;
    for (Index k = 0; k < d_; ++k) {
      const double apart = std::max(std::max(low[k] - query[k], query[k] - high[k]), 0.0);
      total += apart * apart;
    }
    return total;
  }
  // The rows of a leaf in panels, places without a row at infinity, and their numbers.
  const double* panels(Index leaf) const { return panels_.data() + leaf * panels_per_leaf_ * lanes<double> * d_; }
  const Index* numbers(Index leaf) const { return numbers_.data() + leaf * panels_per_leaf_ * lanes<double>; }
  Index panels_per_leaf() const { return panels_per_leaf_; }
  // The node that a query would stand in.
  Index leaf_of(const double* query) const;

 private:
  // Some rows, row-major, and their numbers; `order` has them by their places, each with a feature to be compared by.
  struct Part {
    std::vector<double> values;
    std::vector<Index> numbers;
    std::vector<std::pair<double, Index>> order;
  };
  Part gathered(const Part& whole, Index first, Index last) const;
  void make(Index node, Part& rows, Index first, Index last);
  void measure(Index node, const Part& rows, Index first, Index last);
  Index divide(Index node, Part& rows, Index first, Index last);
  void fill(Index leaf, const Part& rows, Index first, Index last);

  // Of so few the sum is quicker one by one.
  static constexpr Index few_features = 4;

  Norm norm_;
  Index length_, d_, padded_;
  Index leaves_ = 1;  // a power of two
  Index panels_per_leaf_ = 1;
  std::vector<double> boxes_;  // of each node, the least of each feature and the largest; boundless where padded
  std::vector<Index> sides_;   // at which a node is parted
  std::vector<double> middles_;
  Buffer<double> panels_;
  std::vector<Index> numbers_;
};

// Rows and queries as they are, where a tree has them turned, with fewer features: its distances, less the slack, are
// no larger than those of rows times the unit.
struct Unturned {
  Matrix rows, queries;  // dense
  double unit, slack;
};

struct TreeTask {
  const KdTree& tree;
  Matrix queries;  // dense, as those of the tree
  // As those of NeighbourTask.
  std::span<const std::int64_t> excluded = {};
  std::span<const std::uint8_t> forgotten = {};
  // For the Euclidean norm: what settles distances.
  std::optional<Unturned> unturned = {};
};

// As the searches of neighbours.hpp; distances are squared for the Euclidean norm only.
Nearest nearest(const TreeTask& task, Index k, const Workers& workers);
Within within(const TreeTask& task, double radius, const Workers& workers);

}  // namespace mercer
