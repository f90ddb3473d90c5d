// Finds       the nearest rows of queries, or all within a radius, exactly
// Given       rows and queries as they are and rotated (neighbours.hpp)
// Returns     row numbers and squared distances in float64
// How         a block of rows against some queries: a lower bound of each distance from the first features, in float32;
//             of rows that it does not rule out, bounds from more features; of those that are left, the distance itself
// See         docs/concepts/neighbours.md
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "found.hpp"
#include "mercer/indexing.hpp"
#include "mercer/neighbours.hpp"
#include "mercer/simd.hpp"
#include "settled.hpp"
#include "share_out.hpp"

namespace mercer {
namespace {

// Queries that go through a block of rows together: their bounds stay in the cache.
constexpr Index queries_at_once = 24;
constexpr Index block_rows = NeighbourIndex::block_rows;
// Bounds of which the least is kept, so that most of them need not be looked at again.
constexpr Index group = values_per_group;
// Where fewer queries than this come for each thread, rows are shared out among threads instead.
constexpr Index queries_per_thread = 16;
constexpr Index least_blocks_per_range = 2;
// Rows whose features are asked for before they are looked at.
constexpr std::size_t rows_ahead = 6;
// Rounding of float32 sums: of features, a few at a time, and of what comes before and after.
constexpr Index features_at_once = 256;
constexpr double rounding_of_float = 6.0e-8;
constexpr double other_roundings = 8;

// Some queries against some blocks of rows.
template <class Found>
class Search {
 public:
  Search(const NeighbourTask& task, Index first, Index count, std::vector<Found>& found)
      : task_(task),
        index_(task.index),
        settled_(task.rows, task.queries),
        first_(first),
        count_(count),
        found_(found),
        features_(static_cast<std::size_t>(count * index_.panel_features())),
        bounds_(static_cast<std::size_t>(count * block_rows)),
        least_(block_rows / group) {
    const Index width = index_.panel_features(), of_stage = index_.stages().front();
    for (Index q = 0; q < count; ++q) {
      const float* query = task.rotated.features.row(first + q);
      float* to = features_.data() + q * width;
      for (Index k = 0; k < of_stage; ++k) to[k] = -2 * query[k];
      to[of_stage] = -2 * norm_after(task.rotated, first + q, of_stage);
      to[of_stage + 1] = 1;
      norms_.push_back(squared_norm(task.rotated, first + q));
      for (const Index features : index_.stages()) rests_.push_back(norm_after(task.rotated, first + q, features));
    }
  }

  void look_at(Index block) {
    const Index from = block * block_rows, rows = std::min(block_rows, index_.size() - from);
    const Index panels = (rows + lanes<float> - 1) / lanes<float>;
    ops<float>().products({.A = features_.data(),
                           .A_norms = nullptr,
                           .na = count_,
                           .stride = index_.panel_features(),
                           .B = index_.panel(from / lanes<float>),
                           .B_norms = nullptr,
                           .panels = panels,
                           .d = index_.panel_features()},
                          bounds_.data(), block_rows);
    counts.pairs += count_ * rows;
    for (Index q = 0; q < count_; ++q) {
      float* bounds = bounds_.data() + q * block_rows;
      std::fill(bounds + rows, bounds + (rows + group - 1) / group * group, std::numeric_limits<float>::infinity());
      ops<float>().least_of_groups(bounds, (rows + group - 1) / group, least_.data());
      if (at(found_, q).wanted() > 0) begin(q, from, rows, bounds);
      screen(q, block, from, rows, bounds);
    }
  }

  NeighbourCounts counts;

 private:
  // Rows that are likely to be near, so that there is a reach to compare with.
  void begin(Index q, Index from, Index rows, const float* bounds) {
    std::vector<std::pair<float, Index>> likely;
    const Index groups = (rows + group - 1) / group, wanted = at(found_, q).wanted();
    if (wanted < groups) {
      for (Index g = 0; g < groups; ++g) likely.emplace_back(at(least_, g), g);
      std::ranges::nth_element(likely, likely.begin() + wanted);
      likely.resize(static_cast<std::size_t>(wanted) + 1);
      for (auto& [bound, place] : likely)
        place = std::min_element(bounds + place * group, bounds + (place + 1) * group) - bounds;
    } else {
      for (Index i = 0; i < rows; ++i) likely.emplace_back(bounds[i], i);
      if (wanted < rows) {
        std::ranges::nth_element(likely, likely.begin() + wanted);
        likely.resize(static_cast<std::size_t>(wanted) + 1);
      }
    }
    known_.clear();
    for (const auto& [bound, place] : likely) {
      if (std::isinf(bound)) continue;
      settle(q, from + place);
      known_.push_back(from + place);
    }
    std::ranges::sort(known_);
  }

  void screen(Index q, Index block, Index from, Index rows, const float* bounds) {
    float limit = limit_of(q, block);
    left_.clear();
    for (Index g = 0; g * group < rows; ++g)
      if (at(least_, g) <= limit)
        for (Index i = g * group; i < std::min(rows, (g + 1) * group); ++i)
          if (bounds[i] <= limit) left_.push_back(i);
    counts.screened += length(left_);
    for (std::size_t k = 0; k < left_.size(); ++k) {
      if (k + rows_ahead < left_.size()) fetch(from + left_[k + rows_ahead]);
      const Index i = left_[k];
      if (bounds[i] > limit || !is_near(q, from + i) || std::ranges::binary_search(known_, from + i)) continue;
      settle(q, from + i);
      limit = limit_of(q, block);
    }
    known_.clear();
  }

  // Asks for the features that are looked at next.
  void fetch(Index row) const {
    const std::vector<Index>& stages = index_.stages();
    const Index features = stages.size() > 1 ? stages[1] : stages[0];
    const float* values = index_.row(row);
    for (Index k = 0; k < features; k += lanes<float>) __builtin_prefetch(values + k);
  }

  // What a bound in float32 must not exceed, without the squared norm of the query, that the row may be within reach.
  float limit_of(Index q, Index block) const {
    const double norm = std::sqrt(at(norms_, q)), largest = index_.largest_norm(block);
    const auto features = static_cast<double>(index_.panel_features());
    const double steps = std::min<double>(features, features_at_once) + features / features_at_once + other_roundings;
    const double error = steps * rounding_of_float * (largest * largest + 2 * norm * largest);
    const double limit = reach_of(q) - at(norms_, q) + error;
    return limit >= std::numeric_limits<float>::max()
               ? std::numeric_limits<float>::infinity()
               : std::nextafter(static_cast<float>(limit), std::numeric_limits<float>::infinity());
  }

  // The square of the reach, of rotated rows.
  double reach_of(Index q) const {
    const double reach = std::sqrt(at(found_, q).reach()) * task_.unit + task_.slack;
    return reach * reach;
  }

  // By more features, stage after stage.
  bool is_near(Index q, Index row) {
    const std::vector<Index>& stages = index_.stages();
    const float *query = task_.rotated.features.row(first_ + q), *other = index_.row(row);
    const double norms = at(norms_, q) + index_.squared_norm(row),
                 reach = reach_of(q) + other_roundings * 1e-15 * norms;
    double product = 0;
    Index from = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (s == 0 && stages.size() > 1) {
        // The bound of the first stage was in float32; its features count again with those of the next.
        continue;
      }
      product += ops<float>().weighted_sum(query + from, other + from, stages[s] - from);
      from = stages[s];
      const double rest = static_cast<double>(rests_[static_cast<std::size_t>(q) * stages.size() + s]) *
                          static_cast<double>(index_.rest(s, row));
      if (norms - 2 * (product + rest) > reach) return false;
    }
    return true;
  }

  void settle(Index q, Index row) {
    const Index excluded = task_.excluded.empty() ? -1 : at(task_.excluded, first_ + q);
    if (row == excluded || (!task_.forgotten.empty() && at(task_.forgotten, row) != 0)) return;
    ++counts.settled;
    at(found_, q).take({settled_.squared(first_ + q, row, at(found_, q).reach()), row});
  }

  const NeighbourTask& task_;
  const NeighbourIndex& index_;
  const Settled settled_;
  const Index first_, count_;
  std::vector<Found>& found_;
  std::vector<float> features_;  // of the queries, as panels want them
  std::vector<float> bounds_;    // of the squared distances, less the squared norms of the queries
  std::vector<float> least_;     // of each group of them
  std::vector<double> norms_;    // of the queries, squared
  std::vector<float> rests_;     // of each query after each stage
  std::vector<Index> left_;      // places in the block that the bounds do not rule out
  std::vector<Index> known_;     // rows of the block that are settled already
};

template <class Found, class Use>
NeighbourCounts search(const NeighbourTask& task, const Found& none, const Workers& workers, Use use) {
  const Shares shares{.queries = task.rotated.features.rows,
                      .queries_at_once = queries_at_once,
                      .blocks = (task.index.size() + block_rows - 1) / block_rows,
                      .queries_per_thread = queries_per_thread,
                      .least_blocks_per_range = least_blocks_per_range};
  const auto look = [&](Index first, std::vector<Found>& found, Index begin, Index end) {
    Search<Found> one(task, first, length(found), found);
    for (Index block = begin; block < end; ++block) {
      one.look_at(block);
      poll_inside();
    }
    return one.counts;
  };
  return share_out(shares, none, workers, look, use);
}

}  // namespace

Nearest nearest(const NeighbourTask& task, Index k, const Workers& workers) {
  Nearest out = none_near(task.rotated.features.rows, k);
  out.counts = search(task, Best(k), workers, [&](Index query, Best& best) { put_nearest(query, k, best, out); });
  return out;
}

Within within(const NeighbourTask& task, double radius, const Workers& workers) {
  std::vector<std::vector<Neighbour>> found(static_cast<std::size_t>(task.rotated.features.rows));
  const NeighbourCounts counts = search(task, All(radius * radius), workers,
                                        [&](Index query, All& all) { at(found, query) = std::move(all.found()); });
  return in_order_of_rows(found, counts);
}

}  // namespace mercer
