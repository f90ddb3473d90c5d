// Some queries that stand together and go down the tree of rows: what sums of windows and bins of distances share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/indexing.hpp"
#include "mercer/windows.hpp"
#include "profile.hpp"

namespace mercer {
namespace {

// Queries that go down the tree together: their distances from a leaf stay in the cache.
constexpr Index queries_at_once = 48;
static_assert(queries_at_once <= rows_at_once);
constexpr Index leaf_rows = WindowRows::leaf_rows, w = lanes<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
// Distances of boxes are rounded; this much covers it, so that what is ruled out is out.
constexpr double box_slack = 1e-13;
// What exact sums may leave out, as a share: less than their last bit.
constexpr double last_bit = 0x1p-56;
// Rows of few features have their distances by differences, which cost as little. Others have them from norms and
// products while the norms, in bandwidths, are below this: an exponent is then off by less than 1e-10.
constexpr Index few_features = 4;
constexpr double largest_norms = 1e5;
// Factors whose ratio is this close to a power of two are a chain.
constexpr double ratio_rounding = 1e-14;
// A chain's values round twice as far with every link.
constexpr Index most_links = 12;

struct Chain {
  double factor;
  std::vector<Index> bandwidths;  // the places of its links among the factors
};

// Values that are squared again and again must be shares of the nearest row's.
std::vector<Chain> chains_of(const WindowTask& task) {
  const Profile profile = task.profile;
  const std::span<const double> factors = task.factors;
  const bool may_square = is_unbounded(profile) && !task.nearest.empty();
  const double step = profile == Profile::gaussian ? 2 : 4;
  std::vector<Chain> chains;
  for (Index k = 0; k < length(factors); ++k) {
    const auto follows = [&](const Chain& chain) {
      const double wanted = step * at(factors, chain.bandwidths.back());
      return length(chain.bandwidths) < most_links && std::abs(at(factors, k) - wanted) <= ratio_rounding * wanted;
    };
    const auto found = may_square ? std::ranges::find_if(chains, follows) : chains.end();
    if (found == chains.end())
      chains.push_back({at(factors, k), {k}});
    else
      found->bandwidths.push_back(k);
  }
  return chains;
}

// What is the same for all queries.
struct Prepared {
  explicit Prepared(const WindowTask& asked)
      : task(asked),
        tree(asked.rows.tree()),
        outputs(asked.coef.rows),
        bandwidths(length(asked.factors)),
        chains(chains_of(asked)),
        scale(static_cast<std::size_t>(asked.rows.padded()), 1.0),
        coef(static_cast<std::size_t>(asked.rows.padded() * outputs), 0.0) {
    const Index n = tree.size(), count = length(tree.nodes());
    const Index padded = asked.rows.padded();
    for (Index i = 0; i < n; ++i) {
      const Index row = at(tree.order(), i);
      at(scale, i) = at(asked.scale, row);
      for (Index c = 0; c < outputs; ++c) at(coef, c * padded + i) = asked.coef.row(c)[row];
    }
    least_scale.assign(static_cast<std::size_t>(count), infinity);
    largest_scale.assign(static_cast<std::size_t>(count), 0.0);
    totals.assign(static_cast<std::size_t>(count * outputs), 0.0);
    for (Index number = count - 1; number >= 0; --number) {
      const BoxTree::Node& node = at(tree.nodes(), number);
      const auto take = [&](double least, double largest) {
        at(least_scale, number) = std::min(at(least_scale, number), least);
        at(largest_scale, number) = std::max(at(largest_scale, number), largest);
      };
      if (!node.is_leaf())
        for (const Index child : {node.left, node.right}) {
          take(at(least_scale, child), at(largest_scale, child));
          for (Index c = 0; c < outputs; ++c) at(totals, number * outputs + c) += at(totals, child * outputs + c);
        }
      else
        for (Index i = node.first; i < node.last; ++i) {
          take(at(scale, i), at(scale, i));
          for (Index c = 0; c < outputs; ++c) at(totals, number * outputs + c) += at(coef, c * padded + i);
        }
    }
    double least_weight = infinity;
    for (Index i = 0; i < n && outputs > 0; ++i)
      if (at(coef, i) > 0) least_weight = std::min(least_weight, at(coef, i));
    if (outputs > 0) unseen = -std::log(last_bit) + std::log(at(totals, 0) / least_weight);
    const bool is_hard = asked.profile == Profile::tophat;
    norm_unit = is_hard || asked.factors.empty() ? 1 : *std::ranges::max_element(asked.factors);
    by_differences = is_hard || tree.features() <= few_features;
  }

  const WindowTask& task;
  const BoxTree& tree;
  Index outputs, bandwidths;
  std::vector<Chain> chains;
  std::vector<double> scale, coef;                         // in the order of the tree; an output after the other
  std::vector<double> least_scale, largest_scale, totals;  // of each node
  // How far below the nearest row's an exponent is where all rows together are less than the last bit of it.
  double unseen = infinity;
  double norm_unit;
  bool by_differences;
};

// Some queries, a leaf of their own tree.
class Group {
 public:
  Group(const Prepared& prepared, const BoxTree& queries, Index node)
      : prepared_(prepared), rows_(prepared.task.rows), queries_(queries), node_(node) {
    const BoxTree::Node& own = at(queries.nodes(), node);
    first_ = own.first;
    count_ = own.last - own.first;
    tile_.resize(static_cast<std::size_t>(count_ * leaf_rows));
    for (Index q = 0; q < count_; ++q) {
      const Index query = number(q);
      const Index row = prepared.task.excluded.empty() ? -1 : at(prepared.task.excluded, query);
      excluded_.push_back(row < 0 ? -1 : rows_.place(row));
    }
  }

  Index count() const { return count_; }
  // The number of a query as it came.
  Index number(Index q) const { return at(queries_.order(), first_ + q); }

  // The least and the largest squared distance from a node's box, times the scales of its rows.
  std::pair<double, double> reach(Index node) const {
    const BoxTree& tree = prepared_.tree;
    const double *low = tree.low(node), *high = tree.high(node);
    const double *own_low = queries_.low(node_), *own_high = queries_.high(node_);
    double least = 0, largest = 0;
    for (Index k = 0; k < tree.features(); ++k) {
      const double apart = std::max({0.0, low[k] - own_high[k], own_low[k] - high[k]});
      const double across = std::max(high[k] - own_low[k], own_high[k] - low[k]);
      least += apart * apart;
      largest += across * across;
    }
    return {least * at(prepared_.least_scale, node) * (1 - box_slack),
            largest * at(prepared_.largest_scale, node) * (1 + box_slack)};
  }

  // Whether a query has its excluded row there.
  bool excludes_from(const BoxTree::Node& node) const {
    return std::ranges::any_of(excluded_, [&](Index place) { return place >= node.first && place < node.last; });
  }

  // Squared distances of all queries from a leaf, then use(q, row) for each.
  template <class Use>
  void look_at(Index node, Use use) {
    poll_inside();
    const BoxTree::Node& leaf = at(prepared_.tree.nodes(), node);
    const Index d = prepared_.tree.features(), rows = leaf.last - leaf.first, panels = (rows + w - 1) / w;
    const double norms = leaf.largest_norm + at(queries_.nodes(), node_).largest_norm;
    const bool by_differences =
        prepared_.by_differences || norms * at(prepared_.largest_scale, node) * prepared_.norm_unit > largest_norms;
    window_ops().squared({.A = queries_.row(first_),
                          .A_norms = queries_.norms() + first_,
                          .na = count_,
                          .stride = d,
                          .B = rows_.panel(leaf.first),
                          .B_norms = rows_.norms(leaf.first),
                          .panels = panels,
                          .d = d},
                         by_differences, tile_.data(), leaf_rows);
    const Index padded = rows_.padded();
    for (Index q = 0; q < count_; ++q) {
      double* squared = tile_.data() + q * leaf_rows;
      std::fill(squared + rows, squared + panels * w, infinity);
      const Index excluded = at(excluded_, q) - leaf.first;
      if (excluded >= 0 && excluded < rows) squared[excluded] = infinity;
      use(q, WindowRow{.squared = squared,
                       .scale = prepared_.scale.data() + leaf.first,
                       .coef = prepared_.coef.data() + leaf.first,
                       .stride = padded,
                       .outputs = prepared_.outputs,
                       .count = panels * w});
    }
  }

  // The nearer child first.
  template <class Visit>
  void descend(Index node, Visit visit) const {
    const BoxTree::Node& own = at(prepared_.tree.nodes(), node);
    const bool turned = reach(own.right).first < reach(own.left).first;
    visit(turned ? own.right : own.left);
    visit(turned ? own.left : own.right);
  }

 private:
  const Prepared& prepared_;
  const WindowRows& rows_;
  const BoxTree& queries_;
  Index node_, first_, count_;
  std::vector<Index> excluded_;
  std::vector<double> tile_;
};

template <class Use>
void for_each_leaf(const BoxTree& queries, const Workers& workers, Use use) {
  std::vector<Index> leaves;
  for (Index node = 0; node < length(queries.nodes()); ++node)
    if (at(queries.nodes(), node).is_leaf()) leaves.push_back(node);
  parallel_for(length(leaves), workers.threads, [&](Index number) { use(at(leaves, number)); }, workers.stop);
}

}  // namespace
}  // namespace mercer
