// A tree of boxes finds what a loop over all rows does, and leaves most of them out.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "mercer/kd_tree.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

struct Pair {
  double distance;
  Index row;
  bool operator<(const Pair& other) const {
    return distance < other.distance || (distance == other.distance && row < other.row);
  }
};

// Whole numbers, so that sums are exact and many distances equal.
std::vector<double> whole_numbers(Index count, unsigned seed) {
  Random random(seed);
  std::vector<double> values(at(count));
  for (double& value : values) value = std::round(4 * random());
  return values;
}

std::vector<Pair> in_order(const std::vector<double>& X, const double* query, Index d, Norm norm) {
  std::vector<Pair> found;
  for (Index i = 0; i * d < static_cast<Index>(X.size()); ++i) {
    double total = 0;
    for (Index k = 0; k < d; ++k) {
      const double apart = std::abs(X[at(i * d + k)] - query[k]);
      if (norm == Norm::euclidean)
        total += apart * apart;
      else
        total = norm == Norm::manhattan ? total + apart : std::max(total, apart);
    }
    found.push_back({total, i});
  }
  std::sort(found.begin(), found.end());
  return found;
}

constexpr Norm norms[] = {Norm::manhattan, Norm::euclidean, Norm::chebyshev};

}  // namespace

TEST(kd_tree_nearest_rows_are_those_of_a_loop) {
  for (const Norm norm : norms)
    for (const Index n : {1, 8, 32, 33, 500})
      for (const Index d : {1, 2, 5}) {
        const std::vector<double> X = whole_numbers(n * d, 1), Q = whole_numbers(70 * d, 2);
        const Index k = std::min<Index>(n, 6);
        for (const int threads : {1, 3}) {
          const KdTree tree(Dense<double>{X.data(), n, d}, norm, {threads, nullptr});
          const Nearest found = nearest({tree, Dense<double>{Q.data(), 70, d}}, k, {threads, nullptr});
          for (Index q = 0; q < 70; ++q) {
            const std::vector<Pair> expected = in_order(X, Q.data() + q * d, d, norm);
            for (Index j = 0; j < k; ++j) {
              CHECK(found.rows[at(q * k + j)] == expected[at(j)].row);
              CHECK(found.squared[at(q * k + j)] == expected[at(j)].distance);
            }
          }
        }
      }
}

TEST(kd_tree_rows_within_a_radius_are_those_of_a_loop) {
  for (const Norm norm : norms) {
    const std::vector<double> X = whole_numbers(900, 3), Q = whole_numbers(90, 4);
    const KdTree tree(Dense<double>{X.data(), 300, 3}, norm, {2, nullptr});
    const Within found = within({tree, Dense<double>{Q.data(), 30, 3}}, 2, {2, nullptr});
    for (Index q = 0; q < 30; ++q) {
      std::vector<Index> rows;
      for (const Pair& one : in_order(X, Q.data() + q * 3, 3, norm))
        if (one.distance <= (norm == Norm::euclidean ? 4 : 2)) rows.push_back(one.row);
      std::ranges::sort(rows);
      const Index begin = found.begins[at(q)], count = found.begins[at(q + 1)] - begin;
      CHECK(count == static_cast<Index>(rows.size()));
      for (Index j = 0; j < count; ++j) CHECK(found.rows[at(begin + j)] == rows[at(j)]);
    }
  }
}

TEST(kd_tree_leaves_out_what_must_not_be_found) {
  const std::vector<double> X(40, 0.0);  // twenty equal rows
  const KdTree tree(Dense<double>{X.data(), 20, 2}, Norm::euclidean, {1, nullptr});
  const std::vector<std::int64_t> excluded = {1};
  std::vector<std::uint8_t> forgotten(20, 0);
  forgotten[0] = 1;
  const Nearest found = nearest({tree, Dense<double>{X.data(), 1, 2}, excluded, forgotten}, 3, {1, nullptr});
  for (Index j = 0; j < 3; ++j) CHECK(found.rows[at(j)] == j + 2);
}

TEST(kd_tree_reads_rows_and_queries_of_either_precision) {
  const std::vector<double> X = whole_numbers(400, 5);
  const std::vector<float> narrow(X.begin(), X.end());
  const KdTree wide(Dense<double>{X.data(), 200, 2}, Norm::euclidean, {1, nullptr});
  const KdTree other(Dense<float>{narrow.data(), 200, 2}, Norm::euclidean, {1, nullptr});
  const Nearest one = nearest({wide, Dense<float>{narrow.data(), 50, 2}}, 4, {1, nullptr});
  const Nearest two = nearest({other, Dense<double>{X.data(), 50, 2}}, 4, {1, nullptr});
  CHECK(one.rows == two.rows);
  CHECK(one.squared == two.squared);
}

TEST(kd_tree_looks_at_few_of_many_rows) {
  Random random(6);
  std::vector<double> X(20000);
  for (double& value : X) value = random();
  const KdTree tree(Dense<double>{X.data(), 10000, 2}, Norm::euclidean, {2, nullptr});
  const Nearest found = nearest({tree, Dense<double>{X.data(), 200, 2}}, 5, {2, nullptr});
  CHECK(found.counts.pairs == 200 * 10000);
  CHECK(found.counts.settled < found.counts.pairs / 50);
}
