// Exact nearest neighbours of rows with few features: a tree of boxes, and distances in float64.
#pragma once

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
  // How far a query is from the box of a node at least, in powers of the norm.
  double distance(Index node, const double* query) const;
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

  Norm norm_;
  Index length_, d_;
  Index leaves_ = 1;  // a power of two
  Index panels_per_leaf_ = 1;
  std::vector<double> boxes_;  // of each node, the least of each feature and the largest
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
