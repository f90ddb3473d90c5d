// Sums      windows of queries over rows, at several bandwidths at once
// Given     rows in a tree (windows.hpp), queries, what rows count
// Returns   sums in float64, exact to rounding or to the tolerance of the task
// How       some queries that stand together go down the tree of rows, nearest box first; a box whose rows count alike,
//           or nothing, is taken as a whole, others row by row
// See       docs/concepts/windows.md
#include "group.hpp"

namespace mercer {
namespace {

// Leaves between two looks at how far sums have grown.
constexpr Index leaves_between_looks = 4;

class Nearest {
 public:
  Nearest(const Prepared& prepared, const BoxTree& queries, Index node)
      : prepared_(prepared),
        group_(prepared, queries, node),
        least_(static_cast<std::size_t>(group_.count()), infinity) {
    visit(0);
  }

  void write(double* out) const {
    for (Index q = 0; q < group_.count(); ++q) out[group_.number(q)] = at(least_, q);
  }

 private:
  void visit(Index node) {
    if (group_.reach(node).first > *std::ranges::max_element(least_)) return;
    if (!at(prepared_.tree.nodes(), node).is_leaf()) return group_.descend(node, [this](Index child) { visit(child); });
    group_.look_at(node, [this](Index q, const WindowRow& row) {
      at(least_, q) = std::min(at(least_, q), window_ops().least(row));
    });
  }

  const Prepared& prepared_;
  Group group_;
  std::vector<double> least_;
};

class Sums {
 public:
  Sums(const Prepared& prepared, const BoxTree& queries, Index node)
      : prepared_(prepared),
        task_(prepared.task),
        group_(prepared, queries, node),
        per_query_(prepared.bandwidths * prepared.outputs),
        sums_(static_cast<std::size_t>(group_.count() * per_query_ * w), 0.0),
        wholes_(static_cast<std::size_t>(per_query_), 0.0),
        grown_(static_cast<std::size_t>(prepared.bandwidths), 0.0) {
    for (Index q = 0; q < group_.count(); ++q) {
      const double nearest = task_.nearest.empty() ? 0 : at(task_.nearest, group_.number(q));
      nearest_.push_back(nearest);
      least_nearest_ = std::min(least_nearest_, nearest);
      largest_nearest_ = std::max(largest_nearest_, nearest);
    }
    visit(0);
  }

  void write(double* out) const {
    for (Index q = 0; q < group_.count(); ++q) {
      double* to = out + group_.number(q) * per_query_;
      Index link = 0;
      for (const Chain& chain : prepared_.chains)
        for (const Index k : chain.bandwidths) {
          for (Index c = 0; c < prepared_.outputs; ++c)
            to[k * prepared_.outputs + c] = sum(q, link, c) + at(wholes_, k * prepared_.outputs + c);
          ++link;
        }
    }
  }

 private:
  double sum(Index q, Index link, Index output) const {
    const double* from = sums_.data() + ((q * prepared_.bandwidths + link) * prepared_.outputs + output) * w;
    double total = 0;
    for (Index lane = 0; lane < w; ++lane) total += from[lane];
    return total;
  }

  void visit(Index node) {
    const BoxTree::Node& own = at(prepared_.tree.nodes(), node);
    if (is_told_by_its_box(node)) return;
    if (!own.is_leaf()) return group_.descend(node, [this](Index child) { visit(child); });
    group_.look_at(node, [this](Index q, const WindowRow& row) {
      double* to = sums_.data() + q * per_query_ * w;
      const double least = is_chained_ ? window_ops().least(row) : 0;
      for (const Chain& chain : prepared_.chains) {
        const double shift = task_.nearest.empty() ? 0 : shift_of(task_.profile, at(nearest_, q), chain.factor);
        const Index links = is_chained_ ? seen_links(chain, least, shift) : 1;
        if (links > 0) window_ops().add(row, {task_.profile, chain.factor, shift, links}, to);
        to += length(chain.bandwidths) * prepared_.outputs * w;
      }
    });
    if (++leaves_ % leaves_between_looks == 0) look_how_far();
  }

  // The links at which the nearest of some rows counts beside the nearest of all. Exponents double from link to link.
  Index seen_links(const Chain& chain, double least, double shift) const {
    const double scaled = chain.factor * least;
    double below = task_.profile == Profile::gaussian ? 0.5 * (scaled - shift) : std::sqrt(scaled) - shift;
    Index links = 0;
    for (; links < length(chain.bandwidths) && below <= prepared_.unseen; ++links) below *= 2;
    return links;
  }

  // Takes a whole box where its rows count alike, to the share of the tolerance that their weight has.
  bool is_told_by_its_box(Index node) {
    const auto [least, largest] = group_.reach(node);
    const double all = at(prepared_.totals, 0), relative = std::max(task_.relative, last_bit);
    double highest = 0;
    for (Index k = 0; k < prepared_.bandwidths; ++k) {
      const auto [low, high] = between(k, least, largest);
      highest = std::max(highest, high);
      if (!(0.5 * (high - low) * all <= at(task_.absolute, k) + relative * at(grown_, k))) return false;
    }
    if (highest == 0) return true;
    if (group_.excludes_from(at(prepared_.tree.nodes(), node))) return false;
    for (Index k = 0; k < prepared_.bandwidths; ++k) {
      const auto [low, high] = between(k, least, largest);
      for (Index c = 0; c < prepared_.outputs; ++c)
        at(wholes_, k * prepared_.outputs + c) +=
            0.5 * (low + high) * at(prepared_.totals, node * prepared_.outputs + c);
    }
    return true;
  }

  // The least and the largest value of a window over a box.
  std::pair<double, double> between(Index k, double least, double largest) const {
    const double factor = at(task_.factors, k);
    const double low_shift = task_.nearest.empty() ? 0 : shift_of(task_.profile, least_nearest_, factor);
    const double high_shift = task_.nearest.empty() ? 0 : shift_of(task_.profile, largest_nearest_, factor);
    return {value_of(task_.profile, largest, factor, low_shift), value_of(task_.profile, least, factor, high_shift)};
  }

  // The least sum of weights at each bandwidth, over the queries, that leaves have made.
  void look_how_far() {
    Index link = 0;
    for (const Chain& chain : prepared_.chains)
      for (const Index k : chain.bandwidths) {
        double least = infinity;
        for (Index q = 0; q < group_.count(); ++q) least = std::min(least, sum(q, link, 0));
        at(grown_, k) = least;
        ++link;
      }
  }

  const Prepared& prepared_;
  const WindowTask& task_;
  Group group_;
  Index per_query_, leaves_ = 0;
  bool is_chained_ = !task_.nearest.empty();
  std::vector<double> sums_;    // of each query, link of a chain and output, in lanes
  std::vector<double> wholes_;  // of boxes that were taken whole, of each bandwidth and output
  std::vector<double> grown_;
  std::vector<double> nearest_;
  double least_nearest_ = infinity, largest_nearest_ = 0;
};

template <class Each>
void for_each_group(const WindowTask& task, const Workers& workers, double* out) {
  if (task.queries.rows == 0) return;
  const Prepared prepared(task);
  const BoxTree queries(task.queries, queries_at_once, workers.stop);
  for_each_leaf(queries, workers, [&](Index leaf) { Each(prepared, queries, leaf).write(out); });
}

}  // namespace

void sum_windows(const WindowTask& task, const Workers& workers, double* out) {
  for_each_group<Sums>(task, workers, out);
}

void nearest_in_windows(const WindowTask& task, const Workers& workers, double* out) {
  for_each_group<Nearest>(task, workers, out);
}

}  // namespace mercer
