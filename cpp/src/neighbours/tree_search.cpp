// Finds       the nearest rows of queries, or all within a radius, exactly
// Given       rows in a tree of boxes (kd_tree.hpp)
// Returns     row numbers and distances in float64
// How         the nearer box first; boxes that are farther than what is found are left out, with all below them
// See         docs/concepts/neighbours.md
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "found.hpp"
#include "mercer/indexing.hpp"
#include "mercer/kd_tree.hpp"
#include "settled.hpp"

namespace mercer {
namespace {

// Queries that one thread takes at a time.
constexpr Index queries_at_once = 64;
// A tree may visit all rows for a query.
constexpr Index rows_between_polls = 16384;
// How far rounding may move the distance of a box beyond that of a row in it, for each feature.
constexpr double rounding_per_feature = 4 * std::numeric_limits<double>::epsilon();

void read_row(const Matrix& queries, Index i, std::vector<double>& out) {
  std::visit(
      [&](const auto& Q) {
        if constexpr (requires { Q.row(0); }) out.assign(Q.row(i), Q.row(i) + Q.cols);
      },
      queries);
}

// Queries that stand in the same leaf one after the other: they read the same rows.
std::vector<Index> in_order_of_leaves(const TreeTask& task, const Workers& workers) {
  const Index queries = rows_of(task.queries), chunks = (queries + queries_at_once - 1) / queries_at_once;
  std::vector<Index> leaves(static_cast<std::size_t>(queries));
  parallel_for(
      chunks, workers.threads,
      [&](Index chunk) {
        std::vector<double> features;
        for (Index i = chunk * queries_at_once; i < std::min(queries, (chunk + 1) * queries_at_once); ++i) {
          read_row(task.queries, i, features);
          at(leaves, i) = task.tree.leaf_number(task.tree.leaf_of(features.data()));
        }
      },
      workers.stop);
  std::vector<Index> begins(static_cast<std::size_t>(task.tree.leaves() + 1), 0);
  for (const Index leaf : leaves) ++at(begins, leaf + 1);
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Index> order(leaves.size());
  for (Index i = 0; i < queries; ++i) at(order, at(begins, at(leaves, i))++) = i;
  return order;
}

template <class Found>
class Descent {
 public:
  explicit Descent(const TreeTask& task)
      : task_(task),
        tree_(task.tree),
        allowance_(1 + rounding_per_feature * static_cast<double>(tree_.features())),
        distances_(static_cast<std::size_t>(tree_.panels_per_leaf() * lanes<double>)) {
    if (task.unturned) settled_.emplace(task.unturned->rows, task.unturned->queries);
  }

  void look_around(Index query, Found& found) {
    read_row(task_.queries, query, features_);
    features_.resize(static_cast<std::size_t>(tree_.padded()), 0.0);
    const Index excluded = task_.excluded.empty() ? -1 : at(task_.excluded, query);
    limit_ = limit_of(found);
    waiting_.clear();
    wait(below(0));
    while (!waiting_.empty()) {
      Waiting next = waiting_.back();
      waiting_.pop_back();
      if (next.distance > limit_) continue;
      // Down to the leaf that is nearest; what is farther waits.
      while (!tree_.is_leaf(next.node)) {
        const Waiting left = below(2 * next.node + 1), right = below(2 * next.node + 2);
        const bool is_left_nearer = left.distance <= right.distance;
        wait(is_left_nearer ? right : left);
        next = is_left_nearer ? left : right;
        if (next.distance > limit_) break;
      }
      if (next.distance <= limit_) look_at(next.node, query, excluded, found);
    }
  }

  NeighbourCounts counts;

 private:
  struct Waiting {
    double distance;
    Index node;
  };

  Waiting below(Index node) const { return {tree_.distance(node, features_.data()), node}; }
  void wait(const Waiting& one) {
    if (one.distance <= limit_) waiting_.push_back(one);
  }

  // How far a row may be, as the tree has it, that it may be nearer than what is found.
  double limit_of(const Found& found) const {
    if (!task_.unturned) return found.reach() * allowance_;
    const double reach = std::sqrt(found.reach()) * task_.unturned->unit + task_.unturned->slack;
    return reach * reach * allowance_;
  }

  void look_at(Index node, Index query, Index excluded, Found& found) {
    const Index leaf = tree_.leaf_number(node), places = tree_.panels_per_leaf() * lanes<double>;
    ops<double>().panel_distances(tree_.panels(leaf), tree_.panels_per_leaf(), features_.data(), tree_.features(),
                                  tree_.norm(), distances_.data());
    counts.screened += places;
    if (counts.screened >= next_poll_) {
      next_poll_ = counts.screened + rows_between_polls;
      poll_inside();
    }
    const Index* numbers = tree_.numbers(leaf);
    for (std::uint64_t near = ops<double>().at_most(distances_.data(), places, limit_); near != 0; near &= near - 1) {
      const Index i = std::countr_zero(near), row = numbers[i];
      if (at(distances_, i) > limit_ || row < 0 || row == excluded) continue;
      if (!task_.forgotten.empty() && at(task_.forgotten, row) != 0) continue;
      ++counts.settled;
      found.take({settled_ ? settled_->squared(query, row, found.reach()) : at(distances_, i), row});
      limit_ = limit_of(found);
    }
  }

  const TreeTask& task_;
  const KdTree& tree_;
  const double allowance_;
  std::optional<Settled> settled_;
  double limit_ = infinity;        // that of what is found so far
  std::vector<double> features_;   // of the query, padded
  std::vector<double> distances_;  // from the rows of a leaf
  std::vector<Waiting> waiting_;
  Index next_poll_ = rows_between_polls;
};

template <class Found, class Use>
NeighbourCounts search(const TreeTask& task, const Found& none, const Workers& workers, Use use) {
  const std::vector<Index> order = in_order_of_leaves(task, workers);
  const Index chunks = (length(order) + queries_at_once - 1) / queries_at_once;
  std::vector<NeighbourCounts> counts(static_cast<std::size_t>(chunks));
  parallel_for(
      chunks, workers.threads,
      [&](Index chunk) {
        Descent<Found> descent(task);
        const Index first = chunk * queries_at_once, last = std::min(length(order), first + queries_at_once);
        Found found = none;
        for (Index a = first; a < last; ++a) {
          found.found().clear();
          descent.look_around(at(order, a), found);
          use(at(order, a), found);
        }
        at(counts, chunk) = descent.counts;
        at(counts, chunk).pairs = (last - first) * task.tree.size();
      },
      workers.stop);
  return total_of(counts);
}

}  // namespace

Nearest nearest(const TreeTask& task, Index k, const Workers& workers) {
  Nearest out = none_near(rows_of(task.queries), k);
  out.counts = search(task, Best(k), workers, [&](Index query, Best& best) { put_nearest(query, k, best, out); });
  return out;
}

Within within(const TreeTask& task, double radius, const Workers& workers) {
  std::vector<std::vector<Neighbour>> found(static_cast<std::size_t>(rows_of(task.queries)));
  const double reach = task.tree.norm() == Norm::euclidean ? radius * radius : radius;
  const NeighbourCounts counts =
      search(task, All(reach), workers, [&](Index query, All& all) { at(found, query) = std::move(all.found()); });
  return in_order_of_rows(found, counts);
}

}  // namespace mercer
