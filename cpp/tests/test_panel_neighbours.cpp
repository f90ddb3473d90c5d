// A search of panels finds what a loop over all rows does, for any number of threads.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "mercer/panel_neighbours.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr Norm norms[] = {Norm::manhattan, Norm::euclidean, Norm::chebyshev};

// Whole numbers, so that sums are exact and many distances equal.
template <class T>
std::vector<T> whole_numbers(Index count, unsigned seed) {
  Random random(seed);
  std::vector<T> values(at(count));
  for (T& value : values) value = static_cast<T>(std::round(3 * random()));
  return values;
}

template <class T>
std::vector<std::pair<double, Index>> in_order(const std::vector<T>& X, const double* query, Index d, Norm norm) {
  std::vector<std::pair<double, Index>> found;
  for (Index i = 0; i * d < static_cast<Index>(X.size()); ++i) {
    double total = 0;
    for (Index k = 0; k < d; ++k) {
      const double apart = std::abs(static_cast<double>(X[at(i * d + k)]) - query[k]);
      if (norm == Norm::euclidean)
        total += apart * apart;
      else
        total = norm == Norm::manhattan ? total + apart : std::max(total, apart);
    }
    found.emplace_back(total, i);
  }
  std::sort(found.begin(), found.end());
  return found;
}

template <class T>
void check_nearest(Norm norm, Index n, Index d, Index queries, Index k, int threads) {
  const std::vector<T> X = whole_numbers<T>(n * d, 1);
  const std::vector<double> Q = whole_numbers<double>(queries * d, 2);
  const PanelIndex index(Dense<T>{X.data(), n, d}, norm, {threads, nullptr});
  const Nearest found = nearest({index, Dense<double>{Q.data(), queries, d}}, k, {threads, nullptr});
  CHECK(found.counts.pairs == n * queries);
  for (Index q = 0; q < queries; ++q) {
    const auto expected = in_order(X, Q.data() + q * d, d, norm);
    for (Index j = 0; j < std::min(k, n); ++j) {
      CHECK(found.rows[at(q * k + j)] == expected[at(j)].second);
      CHECK(found.squared[at(q * k + j)] == expected[at(j)].first);
    }
    for (Index j = n; j < k; ++j) CHECK(found.rows[at(q * k + j)] == -1);
  }
}

}  // namespace

TEST(panel_nearest_rows_are_those_of_a_loop) {
  for (const Norm norm : norms)
    for (const Index n : {1, 7, 8, 33, 3000})
      for (const Index d : {1, 5, 40})
        for (const Index queries : {1, 3, 17})
          for (const int threads : {1, 3}) check_nearest<double>(norm, n, d, queries, 6, threads);
}

TEST(panel_many_neighbours_and_rows_of_float32) {
  check_nearest<float>(Norm::manhattan, 500, 30, 40, 100, 2);
  check_nearest<double>(Norm::chebyshev, 500, 3, 2, 500, 2);
}

TEST(panel_rows_within_a_radius_are_those_of_a_loop) {
  const Index n = 2500, d = 25;
  const std::vector<double> X = whole_numbers<double>(n * d, 3), Q = whole_numbers<double>(20 * d, 4);
  for (const Norm norm : norms)
    for (const Index queries : {2, 20}) {
      const auto nearer = in_order(X, Q.data(), d, norm);
      const double limit = nearer[100].first, radius = norm == Norm::euclidean ? std::sqrt(limit + 0.5) : limit;
      const PanelIndex index(Dense<double>{X.data(), n, d}, norm, {2, nullptr});
      const Within found = within({index, Dense<double>{Q.data(), queries, d}}, radius, {2, nullptr});
      for (Index q = 0; q < queries; ++q) {
        std::vector<Index> rows;
        for (const auto& [distance, row] : in_order(X, Q.data() + q * d, d, norm))
          if (distance <= limit) rows.push_back(row);
        std::ranges::sort(rows);
        const Index begin = found.begins[at(q)], count = found.begins[at(q + 1)] - begin;
        CHECK(count == static_cast<Index>(rows.size()));
        for (Index j = 0; j < std::min<Index>(count, static_cast<Index>(rows.size())); ++j)
          CHECK(found.rows[at(begin + j)] == rows[at(j)]);
      }
    }
}

TEST(panel_leaves_out_what_must_not_be_found) {
  const std::vector<double> X(40, 0.0);  // twenty equal rows
  const PanelIndex index(Dense<double>{X.data(), 20, 2}, Norm::manhattan, {1, nullptr});
  const std::vector<std::int64_t> excluded{1, -1};
  std::vector<std::uint8_t> forgotten(20, 0);
  forgotten[0] = 1;
  const PanelTask task{index, Dense<double>{X.data(), 2, 2}, excluded, forgotten};
  const Nearest found = nearest(task, 3, {1, nullptr});
  const std::vector<std::int64_t> expected{2, 3, 4, 1, 2, 3};
  CHECK(found.rows == expected);
  CHECK(within(task, 0, {1, nullptr}).begins == (std::vector<std::int64_t>{0, 18, 37}));
}

TEST(panel_of_no_queries_and_of_no_rows) {
  const PanelIndex none(Dense<double>{nullptr, 0, 3}, Norm::manhattan, {2, nullptr});
  const std::vector<double> Q(3, 1.0);
  CHECK(nearest({none, Dense<double>{Q.data(), 1, 3}}, 2, {2, nullptr}).rows == (std::vector<std::int64_t>{-1, -1}));
  const PanelIndex one(Dense<double>{Q.data(), 1, 3}, Norm::manhattan, {2, nullptr});
  CHECK(within({one, Dense<double>{nullptr, 0, 3}}, 1, {2, nullptr}).begins == (std::vector<std::int64_t>{0}));
}
