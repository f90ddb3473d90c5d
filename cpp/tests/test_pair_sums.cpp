// Weighted sums over all pairs of rows, against plain loops.
#include "check.hpp"
#include "mercer/pair_sums.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

PairSums naive_sums(const Table& W, const Table& V, const Table& X, bool squared) {
  PairSums sums{0, std::vector<double>(at(X.cols))};
  for (Index i = 0; i < X.rows; ++i)
    for (Index j = 0; j < i; ++j) {
      const double weight = W.row(i)[at(j)] * V.row(i)[at(j)];
      sums.values += weight;
      for (std::size_t k = 0; k < at(X.cols); ++k) {
        const double difference = X.row(i)[k] - X.row(j)[k];
        sums.differences[k] += weight * (squared ? difference * difference : std::abs(difference));
      }
    }
  return sums;
}

PairSums sums_of(const Table& W, const Table& V, const Table& X, FeatureSum kind, int threads) {
  return pair_sums(DenseData<double>(W).view(), DenseData<double>(V).view(), DenseData<double>(X).view(), kind,
                   {threads, nullptr});
}

}  // namespace

TEST(pair_sums_equal_plain_loops) {
  for (const Index n : {1, 2, 33, 600})
    for (const FeatureSum kind : {FeatureSum::squared_distance, FeatureSum::manhattan}) {
      const Table X = random_table(n, 3, 80), W = random_table(n, n, 81), V = random_table(n, n, 82);
      const PairSums naive = naive_sums(W, V, X, kind == FeatureSum::squared_distance);
      const PairSums found = sums_of(W, V, X, kind, 2);
      const double rounding = 1e-15 * static_cast<double>(n * n);
      CHECK_NEAR(found.values, naive.values, rounding);
      for (std::size_t k = 0; k < 3; ++k) CHECK_NEAR(found.differences[k], naive.differences[k], rounding);
    }
}

TEST(pair_sums_have_the_same_bits_on_any_number_of_threads) {
  const Table X = random_table(200, 5, 83), W = random_table(200, 200, 84), V = random_table(200, 200, 85);
  const PairSums one = sums_of(W, V, X, FeatureSum::squared_distance, 1);
  for (const int threads : {2, 3, 7}) {
    const PairSums several = sums_of(W, V, X, FeatureSum::squared_distance, threads);
    CHECK(several.values == one.values && several.differences == one.differences);
  }
}

TEST(pair_sums_read_nothing_on_or_above_the_diagonal) {
  const Table X = random_table(40, 2, 86), V = random_table(40, 40, 87);
  Table W = random_table(40, 40, 88);
  const PairSums whole = sums_of(W, V, X, FeatureSum::squared_distance, 1);
  for (Index i = 0; i < 40; ++i)
    for (Index j = i; j < 40; ++j) W.row(i)[at(j)] = std::nan("");
  const PairSums lower = sums_of(W, V, X, FeatureSum::squared_distance, 1);
  CHECK(lower.values == whole.values && lower.differences == whole.differences);
}

TEST(pair_sums_refuse_what_does_not_fit) {
  const Table X = random_table(4, 2, 89), W = random_table(4, 4, 90), wide = random_table(4, 5, 91);
  CHECK_THROWS(std::invalid_argument, sums_of(wide, W, X, FeatureSum::squared_distance, 1));
  CHECK_THROWS(std::invalid_argument, sums_of(W, wide, X, FeatureSum::squared_distance, 1));
  CHECK_THROWS(std::invalid_argument, sums_of(W, W, X, FeatureSum::dot, 1));
}

TEST(cross_sums_equal_plain_loops) {
  for (const Index n : {1, 33, 600})
    for (const FeatureSum kind : {FeatureSum::squared_distance, FeatureSum::manhattan}) {
      const Index m = 525;  // more than are weighted together
      const Table X = random_table(n, 3, 92), Z = random_table(m, 3, 93), W = random_table(n, m, 94),
                  V = random_table(n, m, 95);
      PairSums naive{0, std::vector<double>(3)};
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) {
          const double weight = W.row(i)[at(j)] * V.row(i)[at(j)];
          naive.values += weight;
          for (std::size_t k = 0; k < 3; ++k) {
            const double difference = X.row(i)[k] - Z.row(j)[k];
            naive.differences[k] +=
                weight * (kind == FeatureSum::squared_distance ? difference * difference : std::abs(difference));
          }
        }
      const PairSums found = cross_sums(DenseData<double>(W).view(), DenseData<double>(V).view(),
                                        DenseData<double>(X).view(), DenseData<double>(Z).view(), kind, {2, nullptr});
      const double rounding = 1e-15 * static_cast<double>(n * m);
      CHECK_NEAR(found.values, naive.values, rounding);
      for (std::size_t k = 0; k < 3; ++k) CHECK_NEAR(found.differences[k], naive.differences[k], rounding);
    }
}

TEST(cross_sums_refuse_what_does_not_fit) {
  const Table X = random_table(4, 2, 96), Z = random_table(3, 2, 97), W = random_table(4, 3, 98),
              other = random_table(3, 5, 99);
  const auto sums = [](const Table& w, const Table& x, const Table& z) {
    return cross_sums(DenseData<double>(w).view(), DenseData<double>(w).view(), DenseData<double>(x).view(),
                      DenseData<double>(z).view(), FeatureSum::squared_distance, {1, nullptr});
  };
  CHECK_THROWS(std::invalid_argument, sums(W, Z, X));
  CHECK_THROWS(std::invalid_argument, sums(W, X, other));
}
