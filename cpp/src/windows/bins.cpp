// Sums      exponentials of distances at many bandwidths, to a bound that is told
// Given     rows and queries (windows.hpp), bins, and of each bin and bandwidth a cubic with its largest error
// Returns   sums as shares of the nearest row's, how far each is off at most, and the nearest
// How       the distances of a query from all rows, less the nearest, are counted into bins, each with the sums of the
//           first powers of where rows are in it; what these are at a bandwidth is a product with its cubics
// See       docs/concepts/windows.md
#include "group.hpp"

namespace mercer {
namespace {

// Distances of a group's queries that are kept between finding the nearest and counting: they stay in the cache.
constexpr Index most_kept = 1 << 17;
constexpr Index most_binned_queries = 16;

class Binned {
 public:
  Binned(const Prepared& prepared, const BinTable& table, const BoxTree& queries, Index node)
      : prepared_(prepared),
        table_(table),
        group_(prepared, queries, node),
        padded_(prepared.task.rows.padded()),
        kept_(static_cast<std::size_t>(group_.count() * padded_)),
        nearest_(static_cast<std::size_t>(group_.count()), infinity),
        moments_(static_cast<std::size_t>((table.bins + 1) * moments_of_bin)) {
    const auto& nodes = prepared.tree.nodes();
    for (Index number = 0; number < length(nodes); ++number)
      if (at(nodes, number).is_leaf()) keep(number);
  }

  void write(const BinnedSums& out) {
    const Profile profile = prepared_.task.profile;
    for (Index q = 0; q < group_.count(); ++q) {
      const Index query = group_.number(q);
      std::ranges::fill(moments_, 0.0);
      const WindowRow row{.squared = kept_.data() + q * padded_,
                          .scale = prepared_.scale.data(),
                          .coef = prepared_.coef.data(),
                          .stride = padded_,
                          .outputs = 1,
                          .count = padded_};
      window_ops().bin(row, {profile, at(nearest_, q), table_.origin, table_.bits, table_.bins}, moments_.data());
      out.nearest[query] = at(nearest_, q);
      window_ops().sum_bins(table_, moments_.data(), out.sums + query * table_.stride,
                            out.errors + query * table_.stride);
    }
  }

 private:
  void keep(Index node) {
    const Index first = at(prepared_.tree.nodes(), node).first;
    group_.look_at(node, [&](Index q, const WindowRow& row) {
      std::copy(row.squared, row.squared + row.count, kept_.data() + q * padded_ + first);
      at(nearest_, q) = std::min(at(nearest_, q), window_ops().least(row));
    });
  }

  const Prepared& prepared_;
  const BinTable& table_;
  Group group_;
  Index padded_;
  std::vector<double> kept_, nearest_, moments_;
};

}  // namespace

void sum_binned_windows(const WindowTask& task, const BinTable& table, const Workers& workers, const BinnedSums& out) {
  if (task.queries.rows == 0) return;
  const Prepared prepared(task);
  const Index together = std::clamp(most_kept / task.rows.padded(), Index(1), most_binned_queries);
  const BoxTree queries(task.queries, together, workers.stop);
  for_each_leaf(queries, workers, [&](Index leaf) { Binned(prepared, table, queries, leaf).write(out); });
}

}  // namespace mercer
