// Finds       the nearest rows of queries among rows with missing values, all within a radius, or the nearest that have
//             a feature
// Given       rows and queries with NaN (masked_neighbours.hpp)
// Returns     row numbers and squared distances in float64
// How         some rows give each query a reach; then, block after block, a row is within reach r where
//             d (q^2 . m_x + m_q . x^2 - 2 q . x) - r^2 m_q . m_x <= 0, a product in float32; those that it does not
//             rule out are settled in float64, by the differences of the features that both have
// See         docs/concepts/neighbours.md
#include <cmath>

#include "found.hpp"
#include "mercer/masked_neighbours.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

// Queries that go through a block of rows together: their products stay in the cache.
constexpr Index queries_at_once = 24;
constexpr Index block_rows = MaskedIndex::block_rows;
constexpr Index group = values_per_group;
// Rounding of float32 products: of features, a few at a time, and of what comes before and after.
constexpr Index features_at_once = 256;
constexpr double rounding_of_float = 6.0e-8;
constexpr double other_roundings = 8;
// Numbers below it lose digits in float32, and above it their products may overflow.
constexpr double least_of_float = 1.2e-38;
constexpr double largest_for_float = 1e30;
// Rounding of a settled distance, for each feature.
constexpr double rounding_of_double = 2.3e-16;

// The nearest so far of those that have a feature, for several features.
class Donors {
 public:
  Donors(const MaskedIndex& index, std::span<const std::int64_t> features, Index k)
      : index_(index), features_(features) {
    for (const Index feature : features) best_.emplace_back(std::clamp<Index>(index.rows_with(feature), 1, k));
  }

  double reach() const {
    double largest = 0;
    for (const Best& one : best_) largest = std::max(largest, one.reach());
    return largest;
  }
  void take(const Neighbour& one) {
    for (std::size_t f = 0; f < best_.size(); ++f)
      if (index_.has(one.row, features_[f])) best_[f].take(one);
  }
  std::vector<Best>& each() { return best_; }

 private:
  const MaskedIndex& index_;
  std::span<const std::int64_t> features_;
  std::vector<Best> best_;
};

// Some queries against all rows.
template <class Found>
class Search {
 public:
  Search(const MaskedTask& task, Index first, std::vector<Found>& found)
      : task_(task),
        index_(task.index),
        first_(first),
        count_(length(found)),
        found_(found),
        features_(static_cast<std::size_t>(count_ * index_.panel_features())),
        products_(static_cast<std::size_t>(count_ * block_rows)),
        least_(block_rows / group) {
    for (Index q = 0; q < count_; ++q) {
      double squared = 0;
      for (Index k = 0; k < d(); ++k) {
        const double value = index_.scaled(query(q)[k], k);
        squared += value * value;
      }
      norms_.push_back(std::sqrt(squared));
    }
  }

  // Rows from all over, so that there is a reach to compare with.
  void begin(Index sample) {
    const Index n = index_.rows().rows;
    step_ = std::max<Index>(1, n / std::max<Index>(1, sample));
    for (Index q = 0; q < count_; ++q)
      for (Index row = 0; row < n; row += step_) settle(q, row);
  }

  void look_at(Index block) {
    const Index from = block * block_rows, rows = std::min(block_rows, index_.rows().rows - from);
    const Index groups = (rows + group - 1) / group;
    for (Index q = 0; q < count_; ++q) prepare(q);
    ops<float>().products({.A = features_.data(),
                           .A_norms = nullptr,
                           .na = count_,
                           .stride = index_.panel_features(),
                           .B = index_.panel(from / lanes<float>),
                           .B_norms = nullptr,
                           .panels = (rows + lanes<float> - 1) / lanes<float>,
                           .d = index_.panel_features()},
                          products_.data(), block_rows);
    counts.pairs += count_ * rows;
    for (Index q = 0; q < count_; ++q) {
      float* products = products_.data() + q * block_rows;
      std::fill(products + rows, products + groups * group, std::numeric_limits<float>::infinity());
      ops<float>().least_of_groups(products, groups, least_.data());
      const float limit = limit_of(q, block);
      for (Index g = 0; g < groups; ++g)
        if (at(least_, g) <= limit)
          for (Index i = g * group; i < std::min(rows, (g + 1) * group); ++i)
            if (products[i] <= limit) {
              ++counts.screened;
              if ((from + i) % step_ != 0) settle(q, from + i);
            }
    }
  }

  NeighbourCounts counts;

 private:
  Index d() const { return index_.rows().cols; }
  const double* query(Index q) const { return task_.queries.row(first_ + q); }

  // The square of the reach of scaled rows, with room for the rounding of settled distances.
  double reach_of(Index q) const {
    const double room = 1 + 4 * rounding_of_double * static_cast<double>(d() + 8);
    return at(found_, q).reach() * room * index_.unit() * index_.unit();
  }

  bool is_screened(Index q) const {
    const auto features = static_cast<double>(d());
    const double norm = at(norms_, q);
    return index_.unit() > 0 && features * norm * norm < largest_for_float &&
           features * reach_of(q) < largest_for_float;
  }

  // d q^2 - r^2 m_q, d m_q and -2 d q; zeros where all rows are to be settled.
  void prepare(Index q) {
    float* to = features_.data() + q * index_.panel_features();
    std::fill_n(to, index_.panel_features(), 0.0f);
    if (!is_screened(q)) return;
    const auto all = static_cast<double>(d());
    const double reach = reach_of(q);
    for (Index k = 0; k < d(); ++k) {
      if (std::isnan(query(q)[k])) continue;
      const double value = index_.scaled(query(q)[k], k);
      to[k] = static_cast<float>(all * value * value - reach);
      to[d() + k] = static_cast<float>(all);
      to[2 * d() + k] = static_cast<float>(-2 * all * value);
    }
    at(reaches_, q) = reach;
  }

  // What a product must not exceed, that the row may be within the reach it was prepared with.
  float limit_of(Index q, Index block) const {
    if (!is_screened(q)) return std::numeric_limits<float>::max();
    const auto all = static_cast<double>(d()), terms = static_cast<double>(index_.panel_features());
    const double steps = std::min<double>(terms, features_at_once) + terms / features_at_once + other_roundings;
    const double norms = at(norms_, q) + index_.largest_norm(block);
    const double limit = steps * rounding_of_float * all * (norms * norms + at(reaches_, q)) + least_of_float;
    return std::nextafter(static_cast<float>(limit), std::numeric_limits<float>::infinity());
  }

  void settle(Index q, Index row) {
    const Index excluded = task_.excluded.empty() ? -1 : at(task_.excluded, first_ + q);
    if (row == excluded || (!task_.forgotten.empty() && at(task_.forgotten, row) != 0)) return;
    ++counts.settled;
    const SharedDistance shared = ops<double>().shared_distance(query(q), index_.rows().row(row), d());
    if (shared.features == 0) return;
    at(found_, q).take({shared.squared * (static_cast<double>(d()) / static_cast<double>(shared.features)), row});
  }

  const MaskedTask& task_;
  const MaskedIndex& index_;
  const Index first_, count_;
  std::vector<Found>& found_;
  Index step_ = 1;               // between rows that are settled at first
  std::vector<float> features_;  // of the queries, as panels want them
  std::vector<float> products_;
  std::vector<float> least_;   // of each group of them
  std::vector<double> norms_;  // of the queries, scaled
  std::vector<double> reaches_ = std::vector<double>(static_cast<std::size_t>(queries_at_once));
};

// `none(query)` is what a query has found at first, `use` takes what it has at last.
template <class None, class Use>
NeighbourCounts search(const MaskedTask& task, Index k, const Workers& workers, None none, Use use) {
  const Index queries = task.queries.rows, chunks = (queries + queries_at_once - 1) / queries_at_once;
  const Index blocks = (task.index.rows().rows + block_rows - 1) / block_rows;
  // Among s rows of all the k-th nearest lets about k / s of a block pass: least work at s = sqrt(k block_rows).
  const auto sample = static_cast<Index>(std::sqrt(static_cast<double>(k * block_rows)));
  std::vector<NeighbourCounts> counts(static_cast<std::size_t>(chunks));
  parallel_for(
      chunks, workers.threads,
      [&](Index chunk) {
        const Index first = chunk * queries_at_once, last = std::min(queries, first + queries_at_once);
        std::vector<decltype(none(first))> found;
        for (Index query = first; query < last; ++query) found.push_back(none(query));
        Search<decltype(none(first))> one(task, first, found);
        one.begin(sample);
        for (Index block = 0; block < blocks; ++block) {
          one.look_at(block);
          poll_inside();
        }
        at(counts, chunk) = one.counts;
        for (Index query = first; query < last; ++query) use(query, at(found, query - first));
      },
      workers.stop);
  return total_of(counts);
}

// Rows that share no feature with the query, where those that do are not enough.
void put_rows_without_distance(const MaskedTask& task, Index query, Index k, Nearest& out) {
  const auto own = std::span(out.rows).subspan(static_cast<std::size_t>(query * k), static_cast<std::size_t>(k));
  Index place = std::ranges::find(own, -1) - own.begin();
  if (place == k) return;
  std::vector<std::int64_t> found(own.begin(), own.begin() + place);
  std::ranges::sort(found);
  const Index excluded = task.excluded.empty() ? -1 : at(task.excluded, query);
  for (Index row = 0; row < task.index.rows().rows && place < k; ++row) {
    const bool is_forgotten = !task.forgotten.empty() && at(task.forgotten, row) != 0;
    if (row == excluded || is_forgotten || std::ranges::binary_search(found, row)) continue;
    at(out.rows, query * k + place) = row;
    at(out.squared, query * k + place++) = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

Nearest nearest(const MaskedTask& task, Index k, const Workers& workers) {
  Nearest out = none_near(task.queries.rows, k);
  out.counts = search(
      task, k, workers, [&](Index) { return Best(k); },
      [&](Index query, Best& best) {
        put_nearest(query, k, best, out);
        put_rows_without_distance(task, query, k, out);
      });
  return out;
}

Within within(const MaskedTask& task, double radius, const Workers& workers) {
  std::vector<std::vector<Neighbour>> found(static_cast<std::size_t>(task.queries.rows));
  // The radius is the reach from the beginning: no row need be looked at for it.
  const NeighbourCounts counts = search(
      task, 0, workers, [&](Index) { return All(radius * radius); },
      [&](Index query, All& all) { at(found, query) = std::move(all.found()); });
  return in_order_of_rows(found, counts);
}

Nearest donors(const MaskedTask& task, const Wanted& wanted, Index k, const Workers& workers) {
  Nearest out = none_near(length(wanted.features), k);
  out.counts = search(
      task, k, workers,
      [&](Index query) {
        const Index first = at(wanted.begins, query), last = at(wanted.begins, query + 1);
        return Donors(task.index,
                      wanted.features.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
                      k);
      },
      [&](Index query, Donors& donors) {
        for (Index f = 0; f < length(donors.each()); ++f)
          put_nearest(at(wanted.begins, query) + f, k, at(donors.each(), f), out);
      });
  return out;
}

}  // namespace mercer
