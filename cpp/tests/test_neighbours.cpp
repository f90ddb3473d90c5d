// Nearest rows are those that distances in float64 say, whatever was ruled out before.
#include "check.hpp"
#include "mercer/neighbours.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double off_by = 1e-6;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Rows and queries with the same made of them that Python does: centred is enough, the first features tell most.
struct Crowd {
  Crowd(Index n, Index queries_asked, Index d, unsigned seed, double decay = 0.8, std::vector<Index> parted = {})
      : features(d), rows(n), queries(queries_asked) {
    Random random(seed);
    for (Table* table : {&X, &Q}) {
      const Index count = table == &X ? n : queries;
      *table = Table{count, d, std::vector<double>(static_cast<std::size_t>(count * d))};
      for (Index i = 0; i < count; ++i)
        for (Index k = 0; k < d; ++k) table->row(i)[at(k)] = random() * std::pow(decay, static_cast<double>(k));
    }
    stages = parted.empty() ? std::vector<Index>{d} : std::move(parted);
    refresh();
  }

  void refresh() {
    kept = stages.back();
    turn(X, X_turned, X_rest);
    turn(Q, Q_turned, Q_rest);
  }

  // The first features, and the norm of the others.
  void turn(const Table& from, std::vector<float>& turned, std::vector<float>& rest) const {
    turned.clear();
    rest.clear();
    for (Index i = 0; i < from.rows; ++i) {
      double left = 0;
      for (Index k = 0; k < features; ++k) {
        const double value = from.row(i)[at(k)];
        if (k < kept)
          turned.push_back(static_cast<float>(value));
        else
          left += value * value;
      }
      rest.push_back(static_cast<float>(std::sqrt(left)));
    }
  }

  Nearest found(Index k, int threads = 1, std::vector<std::int64_t> excluded = {}) const {
    const NeighbourIndex index({{X_turned.data(), rows, kept}, X_rest}, stages);
    return nearest(task(index, excluded), k, {threads, nullptr});
  }
  Within found_within(double radius, int threads = 1) const {
    const NeighbourIndex index({{X_turned.data(), rows, kept}, X_rest}, stages);
    const std::vector<std::int64_t> none;
    return within(task(index, none), radius, {threads, nullptr});
  }

  NeighbourTask task(const NeighbourIndex& index, const std::vector<std::int64_t>& excluded) const {
    return {index,
            Dense<double>{X.values.data(), rows, features},
            Dense<double>{Q.values.data(), queries, features},
            {{Q_turned.data(), queries, kept}, Q_rest},
            1,
            off_by,
            excluded};
  }

  // All rows by distance, then by number.
  std::vector<std::pair<double, Index>> sorted(Index query, Index excluded = -1) const {
    std::vector<std::pair<double, Index>> all;
    for (Index i = 0; i < rows; ++i) {
      double squared = 0;
      for (Index k = 0; k < features; ++k)
        squared += (X.row(i)[at(k)] - Q.row(query)[at(k)]) * (X.row(i)[at(k)] - Q.row(query)[at(k)]);
      if (i != excluded) all.emplace_back(squared, i);
    }
    std::ranges::sort(all);
    return all;
  }

  Index features, rows, queries;
  Table X, Q;
  Index kept = 0;
  std::vector<float> X_turned, Q_turned, X_rest, Q_rest;
  std::vector<Index> stages;
};

void check_nearest(const Crowd& one, Index k, const Nearest& found, const std::vector<std::int64_t>& excluded = {}) {
  for (Index q = 0; q < one.queries; ++q) {
    const auto expected = one.sorted(q, excluded.empty() ? -1 : excluded[at(q)]);
    for (Index j = 0; j < k; ++j) {
      const auto place = at(q * k + j);
      if (j >= static_cast<Index>(expected.size())) {
        CHECK(found.rows[place] == -1 && found.squared[place] == infinity);
        continue;
      }
      CHECK_NEAR(found.squared[place], expected[at(j)].first, 1e-14 * (1 + expected[at(j)].first));
      // Sums of squares in another order may part equals.
      const bool is_tie =
          j + 1 < static_cast<Index>(expected.size()) && expected[at(j + 1)].first - expected[at(j)].first < 1e-13;
      if (!is_tie && (j == 0 || expected[at(j)].first - expected[at(j - 1)].first > 1e-13))
        CHECK(found.rows[place] == expected[at(j)].second);
    }
  }
}

}  // namespace

TEST(nearest_rows_are_those_of_a_sort) {
  for (const Index d : {1, 2, 7, 40})
    for (const Index k : {1, 5, 60}) {
      const Crowd one(300, 50, d, 700 + static_cast<unsigned>(d));
      check_nearest(one, k, one.found(k));
    }
}

TEST(nearest_rows_with_features_in_stages) {
  for (const auto& stages : {std::vector<Index>{4, 20}, std::vector<Index>{2, 8, 20}, std::vector<Index>{1, 2, 20},
                             std::vector<Index>{5}, std::vector<Index>{2, 9}}) {
    const Crowd one(500, 40, 20, 710, 0.6, stages);
    check_nearest(one, 3, one.found(3));
  }
}

TEST(nearest_rows_of_more_than_a_block) {
  const Crowd one(NeighbourIndex::block_rows + 200, 5, 6, 711);
  for (const int threads : {1, 2, 3}) check_nearest(one, 4, one.found(4, threads));
}

TEST(nearest_rows_do_not_depend_on_threads) {
  const Crowd one(3 * NeighbourIndex::block_rows, 7, 5, 712);
  const Nearest alone = one.found(6);
  for (const int threads : {2, 4}) {
    const Nearest together = one.found(6, threads);
    CHECK(together.rows == alone.rows && together.squared == alone.squared);
  }
}

TEST(nearest_rows_leave_out_the_one_that_is_excluded) {
  Crowd one(100, 100, 4, 713);
  one.Q = one.X;
  one.refresh();
  std::vector<std::int64_t> excluded;
  for (Index i = 0; i < one.queries; ++i) excluded.push_back(i);
  check_nearest(one, 3, one.found(3, 1, excluded), excluded);
}

TEST(nearest_rows_of_equal_distance_are_those_of_the_lowest_numbers) {
  Crowd one(200, 3, 2, 714);
  std::ranges::fill(one.X.values, 1.0);
  one.refresh();
  const Nearest found = one.found(5);
  for (Index q = 0; q < 3; ++q)
    for (Index j = 0; j < 5; ++j) CHECK(found.rows[at(q * 5 + j)] == j);
}

TEST(nearest_rows_are_all_there_are_where_more_are_asked_for) {
  const Crowd one(7, 3, 2, 715);
  check_nearest(one, 10, one.found(10));
}

// Rotated rows that are off by as much as is said still find the nearest.
TEST(nearest_rows_are_exact_though_the_rotated_rows_are_not) {
  Crowd one(400, 30, 6, 716);
  Random random(717);
  for (auto* values : {&one.X_turned, &one.Q_turned})
    for (float& value : *values) value += static_cast<float>(0.1 * off_by * random());
  check_nearest(one, 5, one.found(5));
}

TEST(rows_within_a_radius_are_those_of_a_scan) {
  for (const double radius : {0.0, 0.2, 0.7, 10.0}) {
    const Crowd one(300, 20, 5, 718, 0.7, {2, 5});
    for (const int threads : {1, 2}) {
      const Within found = one.found_within(radius, threads);
      for (Index q = 0; q < one.queries; ++q) {
        std::vector<std::int64_t> expected;
        for (const auto& [squared, row] : one.sorted(q))
          if (squared <= radius * radius) expected.push_back(row);
        std::ranges::sort(expected);
        const std::vector<std::int64_t> own(found.rows.begin() + found.begins[at(q)],
                                            found.rows.begin() + found.begins[at(q + 1)]);
        CHECK(own == expected);
      }
    }
  }
}

TEST(neighbours_rule_out_most_rows_by_the_first_features) {
  const Crowd one(4000, 30, 30, 719, 0.6, {4, 30});
  const Nearest found = one.found(5);
  CHECK(found.counts.pairs == 4000 * 30);
  CHECK(found.counts.screened < found.counts.pairs / 10);
  CHECK(found.counts.settled < 40 * 30);
}

TEST(neighbours_want_stages_that_ascend) {
  const std::vector<float> values(20, 0.0f), rest(4, 0.0f);
  for (const auto& stages : {std::vector<Index>{}, std::vector<Index>{3}, std::vector<Index>{3, 3, 5},
                             std::vector<Index>{0, 5}, std::vector<Index>{5, 3}})
    CHECK_THROWS(std::invalid_argument, NeighbourIndex({{values.data(), 4, 5}, rest}, stages));
}
