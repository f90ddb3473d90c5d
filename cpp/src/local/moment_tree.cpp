#include "local/moment_tree.hpp"

#include <array>

#include "mercer/indexing.hpp"
#include "mercer/local_loops.hpp"

namespace mercer {
namespace {

constexpr Index nodes_at_once = 64;

double inverse_of(double radius) { return radius > 0 ? 1 / radius : 0; }

}  // namespace

MomentTree::MomentTree(const double* x, const double* v, const double* y, Index rows, Index count,
                       const Workers& workers)
    : count_(count), sets_(y ? 2 : 1) {
  for (Index nodes = rows / rows_per_leaf, run = rows_per_leaf; nodes > 0; nodes /= 2, run *= 2) {
    Level& level = levels_.emplace_back();
    level.centres.resize(static_cast<std::size_t>(nodes));
    level.radii.resize(static_cast<std::size_t>(nodes));
    level.moments.assign(static_cast<std::size_t>(nodes * sets_ * count), 0.0);
    const std::size_t below = levels_.size() - 2;
    const auto make = [&](Index k) {
      const double low = x[k * run], high = x[(k + 1) * run - 1];
      const double radius = high / 2 - low / 2, centre = low + radius;
      at(level.centres, k) = centre;
      at(level.radii, k) = radius;
      double* out = level.moments.data() + k * sets_ * count_;
      if (run == rows_per_leaf)
        return local_ops().row_moments(x + k * run, v + k * run, y ? y + k * run : nullptr, run, centre,
                                       inverse_of(radius), count_, out);
      for (const Index child : {2 * k, 2 * k + 1}) add_moved(node(below, child), centre, inverse_of(radius), out);
    };
    parallel_for((nodes + nodes_at_once - 1) / nodes_at_once, workers.threads,
                 [&](Index chunk) {
                   for (Index k = chunk * nodes_at_once; k < std::min(nodes, (chunk + 1) * nodes_at_once); ++k) make(k);
                 },
                 workers.stop);
  }
}

MomentTree::Node MomentTree::node(std::size_t level, Index number) const {
  const Level& of = levels_[level];
  const double* moments = of.moments.data() + number * sets_ * count_;
  return {at(of.centres, number), at(of.radii, number), moments, moments + count_};
}

void MomentTree::add_moved(const Node& from, double centre, double inverse_radius, double* out) const {
  const double shift = (from.centre - centre) * inverse_radius, spread = from.radius * inverse_radius;
  for (Index set = 0; set < sets_; ++set) {
    std::array<double, most_moments> raw;
    std::copy_n(from.moments + set * count_, count_, raw.begin());
    // Before step s, raw[i] is sum v (shift + spread t)^s t^i.
    for (Index s = 0; s < count_; ++s) {
      out[set * count_ + s] += raw[0];
      for (Index i = 0; i + 1 < count_ - s; ++i) at(raw, i) = shift * at(raw, i) + spread * at(raw, i + 1);
    }
  }
}

}  // namespace mercer
