// Finds       the nearest rows of queries among sparse rows, or all within a radius, exactly
// Given       sparse rows by rows and by columns (sparse_neighbours.hpp)
// Returns     row numbers and squared distances in float64
// How         the products of a query with all rows, column by column; distances from below by them; the rows of which
//             these are least give a reach; where it does not rule them out, distances by the differences of entries
// See         docs/concepts/neighbours.md
#include <bit>

#include "found.hpp"
#include "mercer/simd.hpp"
#include "mercer/sparse_neighbours.hpp"

namespace mercer {
namespace {

// Rounding of each entry of a product or a norm, and what comes besides.
constexpr double rounding_of_double = 2.3e-16;
constexpr double other_roundings = 16;
// Queries that a thread takes at a time.
constexpr Index queries_at_once = 32;

// The squared distance by the differences of entries.
double settled(const CompressedRows& Q, Index query, const CompressedRows& X, Index row, SparseMetric metric) {
  Index a = at(Q.begins, query), b = at(X.begins, row);
  const Index a_end = at(Q.begins, query + 1), b_end = at(X.begins, row + 1);
  double sum = 0, Q_norm = 0, X_norm = 0;
  while (a < a_end || b < b_end) {
    const bool from_a = a < a_end && (b == b_end || at(Q.columns, a) <= at(X.columns, b));
    const bool from_b = b < b_end && (a == a_end || at(X.columns, b) <= at(Q.columns, a));
    const double q = from_a ? at(Q.values, a++) : 0, x = from_b ? at(X.values, b++) : 0;
    sum += (q - x) * (q - x);
    Q_norm += q * q;
    X_norm += x * x;
  }
  return metric == SparseMetric::cosine && (Q_norm == 0 || X_norm == 0) ? 2 : sum;
}

// One query after another against all rows.
class Search {
 public:
  explicit Search(const SparseTask& task)
      : task_(task),
        products_(static_cast<std::size_t>(std::min(SparseIndex::block_rows, rows()))),
        bounds_(static_cast<std::size_t>(rows())),
        entries_(static_cast<std::size_t>(task.index.columns())) {}

  // The `k` nearest.
  Best nearest(Index query, Index k) {
    bound(query);
    Best likely(k), best(k);
    for_each_within([&] { return likely.reach(); },
                    [&](Index row) {
                      if (!is_left_out(query, row)) likely.take({at(bounds_, row), row});
                    });
    for (const Neighbour& one : likely.found()) {
      ++counts.screened;
      settle(query, one.row, best);
      at(bounds_, one.row) = infinity;  // it is known
    }
    settle_within(query, best);
    return best;
  }

  // All within a radius.
  All within(Index query, double squared_radius) {
    bound(query);
    All all(squared_radius);
    settle_within(query, all);
    return all;
  }

  NeighbourCounts counts;

 private:
  Index rows() const { return task_.index.rows().rows(); }

  // Squared distances from below.
  void bound(Index query) {
    const CompressedRows& Q = task_.queries;
    const SparseIndex& index = task_.index;
    norm_ = squared_norm(Q, query, index.metric());
    room_ = room_of(query);
    const double rest = norm_left_out(Q, query, index);
    for (Index block = 0; block < index.blocks(); ++block) {
      const Index first = block * SparseIndex::block_rows, count = std::min(SparseIndex::block_rows, rows() - first);
      std::fill(products_.begin(), products_.end(), 0.0);
      for (Index e = at(Q.begins, query); e < at(Q.begins, query + 1); ++e)
        index.add_column(block, at(Q.columns, e), at(Q.values, e), products_.data());
      for (Index i = 0; i < count; ++i) {
        const double bound = (norm_ + index.squared_norm(first + i)) * (1 - room_) -
                             2 * (at(products_, i) + rest * index.rest(first + i));
        at(bounds_, first + i) = bound > 0 ? bound : 0;  // what is no number rules nothing out
      }
    }
    counts.pairs += rows();
  }

  template <class Found>
  void settle_within(Index query, Found& found) {
    scatter(query, true);
    for_each_within([&] { return found.reach(); },
                    [&](Index row) {
                      if (at(bounds_, row) == infinity || is_left_out(query, row)) return;
                      ++counts.screened;
                      if (!(bound_by_all_columns(row) > found.reach())) settle(query, row, found);
                    });
    scatter(query, false);
  }

  // Rows whose bounds are within what reach() is as they are looked at.
  template <class Reach, class Use>
  void for_each_within(Reach reach, Use use) const {
    constexpr Index at_once = 64;  // a bit each
    for (Index first = 0; first < rows(); first += at_once)
      for (std::uint64_t near =
               ops<double>().at_most(bounds_.data() + first, std::min(at_once, rows() - first), reach());
           near != 0; near &= near - 1) {
        const Index row = first + std::countr_zero(near);
        if (!(at(bounds_, row) > reach())) use(row);
      }
  }

  // Puts the entries of a query at their columns, or zeros.
  void scatter(Index query, bool put) {
    const CompressedRows& Q = task_.queries;
    for (Index e = at(Q.begins, query); e < at(Q.begins, query + 1); ++e)
      at(entries_, at(Q.columns, e)) = put ? at(Q.values, e) : 0;
  }

  double bound_by_all_columns(Index row) const {
    const CompressedRows& X = task_.index.rows();
    double product = 0;
    for (Index e = at(X.begins, row); e < at(X.begins, row + 1); ++e)
      product += at(X.values, e) * at(entries_, at(X.columns, e));
    return (norm_ + task_.index.squared_norm(row)) * (1 - room_) - 2 * product;
  }

  // How far rounding may have moved a distance, as a share of both squared norms.
  double room_of(Index query) const {
    const auto entries = static_cast<double>(task_.queries.entries(query) + task_.index.most_entries());
    return 4 * rounding_of_double * (entries + other_roundings);
  }

  bool is_left_out(Index query, Index row) const {
    return (!task_.excluded.empty() && at(task_.excluded, query) == row) ||
           (!task_.forgotten.empty() && at(task_.forgotten, row) != 0);
  }

  template <class Found>
  void settle(Index query, Index row, Found& found) {
    ++counts.settled;
    found.take({settled(task_.queries, query, task_.index.rows(), row, task_.index.metric()), row});
  }

  const SparseTask& task_;
  std::vector<double> products_;  // with the rows of a block
  std::vector<double> bounds_;    // of the distances of all rows
  std::vector<double> entries_;   // of a query, at their columns
  double norm_ = 0, room_ = 0;    // of the query: its squared norm, and what rounding may do
};

template <class Each>
NeighbourCounts for_each_query(const SparseTask& task, const Workers& workers, Each each) {
  const Index queries = task.queries.rows(), chunks = (queries + queries_at_once - 1) / queries_at_once;
  std::vector<NeighbourCounts> counts(static_cast<std::size_t>(chunks));
  parallel_for(
      chunks, workers.threads,
      [&](Index chunk) {
        Search one(task);
        const Index first = chunk * queries_at_once, last = std::min(queries, first + queries_at_once);
        for (Index query = first; query < last; ++query) {
          each(one, query);
          poll_inside();
        }
        at(counts, chunk) = one.counts;
      },
      workers.stop);
  return total_of(counts);
}

}  // namespace

Nearest nearest(const SparseTask& task, Index k, const Workers& workers) {
  Nearest out = none_near(task.queries.rows(), k);
  out.counts = for_each_query(task, workers, [&](Search& one, Index query) {
    Best best = one.nearest(query, k);
    put_nearest(query, k, best, out);
  });
  return out;
}

Within within(const SparseTask& task, double squared_radius, const Workers& workers) {
  std::vector<std::vector<Neighbour>> found(static_cast<std::size_t>(task.queries.rows()));
  const NeighbourCounts counts = for_each_query(task, workers, [&](Search& one, Index query) {
    at(found, query) = std::move(one.within(query, squared_radius).found());
  });
  return in_order_of_rows(found, counts);
}

}  // namespace mercer
