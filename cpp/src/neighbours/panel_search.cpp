// Finds       the nearest rows of queries, or all within a radius, exactly
// Given       rows in panels (panel_neighbours.hpp)
// Returns     row numbers and distances in float64
// How         some queries, one after the other, against a block of rows that stays in the cache
// See         docs/concepts/neighbours.md
#include <algorithm>

#include "found.hpp"
#include "mercer/indexing.hpp"
#include "mercer/panel_neighbours.hpp"
#include "share_out.hpp"

namespace mercer {
namespace {

// Queries that go through a block together.
constexpr Index queries_at_once = 16;
// Features of a block, which half of a second-level cache holds, and its rows at most, whose distances the first does.
constexpr Index numbers_per_block = 1 << 14;
constexpr Index most_panels_per_block = 1024 / lanes<double>;
// Where fewer queries than this come for each thread, rows are shared out among threads too.
constexpr Index queries_per_thread = 8;
constexpr Index least_blocks_per_range = 2;
// Rows that are put into panels at a time.
constexpr Index panels_at_once = 64;

template <class Use>
void with_rows(const Matrix& rows, Use use) {
  std::visit(
      [&](const auto& X) {
        if constexpr (requires { X.row(0); }) use(X);
      },
      rows);
}

Index panels_per_block(const PanelIndex& index) {
  const Index numbers = lanes<double> * std::max<Index>(1, index.features());
  return std::clamp<Index>(numbers_per_block / numbers, 1, most_panels_per_block);
}

// Some queries against some blocks of rows.
template <class Found>
class Search {
 public:
  Search(const PanelTask& task, Index first, std::vector<Found>& found)
      : task_(task),
        index_(task.index),
        first_(first),
        found_(found),
        distances_(static_cast<std::size_t>(panels_per_block(index_) * lanes<double>)) {
    with_rows(task.queries,
              [&](const auto& Q) { features_.assign(Q.row(first), Q.row(first) + length(found) * Q.cols); });
  }

  void look_at(Index block) {
    const Index first_panel = block * panels_per_block(index_);
    const Index panels = std::min(panels_per_block(index_), index_.panels() - first_panel);
    const Index from = first_panel * lanes<double>, rows = std::min(panels * lanes<double>, index_.size() - from);
    for (Index q = 0; q < length(found_); ++q) {
      ops<double>().panel_distances(index_.panel(first_panel), panels, features_.data() + q * index_.features(),
                                    index_.features(), index_.norm(), distances_.data());
      take(q, from, rows);
    }
    const Index pairs = rows * length(found_);
    counts.pairs += pairs;
    counts.screened += pairs;
    counts.settled += pairs;
  }

  NeighbourCounts counts;

 private:
  void take(Index q, Index from, Index rows) {
    const Index excluded = task_.excluded.empty() ? -1 : at(task_.excluded, first_ + q);
    Found& found = at(found_, q);
    double reach = found.reach();
    for (Index i = 0; i < rows; ++i) {
      const Index row = from + i;
      if (!(at(distances_, i) <= reach) || row == excluded) continue;
      if (!task_.forgotten.empty() && at(task_.forgotten, row) != 0) continue;
      found.take({at(distances_, i), row});
      reach = found.reach();
    }
  }

  const PanelTask& task_;
  const PanelIndex& index_;
  const Index first_;
  std::vector<Found>& found_;
  std::vector<double> features_;   // of the queries
  std::vector<double> distances_;  // of a query from the rows of a block
};

template <class Found, class Use>
NeighbourCounts search(const PanelTask& task, const Found& none, const Workers& workers, Use use) {
  const Index per_block = panels_per_block(task.index);
  const Shares shares{.queries = rows_of(task.queries),
                      .queries_at_once = queries_at_once,
                      .blocks = (task.index.panels() + per_block - 1) / per_block,
                      .queries_per_thread = queries_per_thread,
                      .least_blocks_per_range = least_blocks_per_range};
  const auto look = [&](Index first, std::vector<Found>& found, Index begin, Index end) {
    Search<Found> one(task, first, found);
    for (Index block = begin; block < end; ++block) one.look_at(block);
    return one.counts;
  };
  return share_out(shares, none, workers, look, use);
}

}  // namespace

PanelIndex::PanelIndex(const Matrix& rows, Norm norm, const Workers& workers)
    : norm_(norm), length_(rows_of(rows)), d_(cols_of(rows)), panels_(panels() * lanes<double> * d_) {
  constexpr Index width = lanes<double>;
  with_rows(rows, [&](const auto& X) {
    parallel_for((panels() + panels_at_once - 1) / panels_at_once, workers.threads,
                 [&](Index chunk) {
                   const Index last = std::min(panels(), (chunk + 1) * panels_at_once);
                   for (Index p = chunk * panels_at_once; p < last; ++p) {
                     double* to = panels_.data() + p * width * d_;
                     std::fill_n(to, width * d_, 0.0);
                     for (Index i = p * width; i < std::min(length_, (p + 1) * width); ++i)
                       for (Index k = 0; k < d_; ++k) to[k * width + i % width] = static_cast<double>(X.row(i)[k]);
                   }
                 },
                 workers.stop);
  });
}

Nearest nearest(const PanelTask& task, Index k, const Workers& workers) {
  Nearest out = none_near(rows_of(task.queries), k);
  out.counts = search(task, Best(k), workers, [&](Index query, Best& best) { put_nearest(query, k, best, out); });
  return out;
}

Within within(const PanelTask& task, double radius, const Workers& workers) {
  std::vector<std::vector<Neighbour>> found(static_cast<std::size_t>(rows_of(task.queries)));
  const double reach = task.index.norm() == Norm::euclidean ? radius * radius : radius;
  const NeighbourCounts counts =
      search(task, All(reach), workers, [&](Index query, All& all) { at(found, query) = std::move(all.found()); });
  return in_order_of_rows(found, counts);
}

}  // namespace mercer
