// Nearest rows among sparse rows are those of plain loops over dense ones.
#include "check.hpp"
#include "mercer/sparse_neighbours.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// Sparse rows with columns in ascending order.
struct Sparse {
  explicit Sparse(const Table& table) : cols(table.cols) {
    for (Index i = 0; i < table.rows; ++i) {
      for (Index k = 0; k < cols; ++k)
        if (const double value = table.row(i)[at(k)]; value != 0)
          values.push_back(value), columns.push_back(static_cast<std::int32_t>(k));
      begins.push_back(static_cast<std::int32_t>(values.size()));
    }
  }
  operator Matrix() const {
    return Csr<double, std::int32_t>{values.data(), columns.data(), begins.data(),
                                     static_cast<Index>(begins.size()) - 1, cols};
  }

  Index cols;
  std::vector<double> values;
  std::vector<std::int32_t> columns, begins{0};
};

double squared(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

// Rows of length one, but for those of zeros.
Table of_length_one(Table table) {
  for (Index i = 0; i < table.rows; ++i) {
    double norm = 0;
    for (const double x : table.row(i)) norm += x * x;
    if (norm == 0) continue;
    for (double& x : table.row(i)) x /= std::sqrt(norm);
  }
  return table;
}

bool is_zero(std::span<const double> row) {
  return std::ranges::all_of(row, [](double x) { return x == 0; });
}

}  // namespace

TEST(sparse_nearest_rows_are_those_of_a_sort) {
  for (const auto metric : {SparseMetric::euclidean, SparseMetric::cosine})
    for (const Index rows : {1, 300, 20000}) {
      Table X = random_table(rows, 20, 820, 0.15), Q = random_table(12, 20, 821, 0.15);
      for (Index i = 0; i < X.rows; ++i) X.row(i)[3] = 0.1;  // a column that all use
      if (metric == SparseMetric::cosine) X = of_length_one(X), Q = of_length_one(Q);
      const Sparse stored(X), asked(Q);
      const SparseIndex index(stored, metric);
      const CompressedRows queries((Matrix(asked)));
      std::vector<std::uint8_t> forgotten(at(rows), 0);
      if (rows > 1) forgotten[1] = 1;
      for (const int threads : {1, 2}) {
        const Nearest found = nearest(SparseTask{index, queries, {}, forgotten}, 5, {threads, nullptr});
        for (Index q = 0; q < Q.rows; ++q) {
          std::vector<double> expected;
          for (Index i = 0; i < rows; ++i) {
            if (forgotten[at(i)] != 0) continue;
            const bool is_apart = metric == SparseMetric::cosine && (is_zero(Q.row(q)) || is_zero(X.row(i)));
            expected.push_back(is_apart ? 2 : squared(Q.row(q), X.row(i)));
          }
          std::ranges::sort(expected);
          for (Index j = 0; j < 5; ++j) {
            const double one = found.squared[at(q * 5 + j)];
            if (j < static_cast<Index>(expected.size()))
              CHECK_NEAR(one, expected[at(j)], 1e-14);
            else
              CHECK(std::isinf(one) && found.rows[at(q * 5 + j)] == -1);
          }
        }
      }
    }
}

TEST(sparse_rows_within_a_radius_are_those_of_a_scan) {
  const Table X = random_table(400, 15, 822, 0.2), Q = random_table(10, 15, 823, 0.2);
  const Sparse stored(X), asked(Q);
  const SparseIndex index(stored, SparseMetric::euclidean);
  const CompressedRows queries((Matrix(asked)));
  const Within found = within(SparseTask{index, queries, {}, {}}, 1.5, {2, nullptr});
  for (Index q = 0; q < Q.rows; ++q) {
    std::vector<std::int64_t> expected;
    for (Index i = 0; i < X.rows; ++i)
      if (squared(Q.row(q), X.row(i)) <= 1.5) expected.push_back(i);
    CHECK(expected == std::vector<std::int64_t>(found.rows.begin() + found.begins[at(q)],
                                                found.rows.begin() + found.begins[at(q + 1)]));
  }
}

TEST(sparse_neighbours_want_sparse_rows_in_order) {
  const std::vector<double> values{1, 2};
  const std::vector<std::int32_t> columns{1, 0}, begins{0, 2};
  CHECK_THROWS(std::invalid_argument,
               CompressedRows(Csr<double, std::int32_t>{values.data(), columns.data(), begins.data(), 1, 2}));
  CHECK_THROWS(std::invalid_argument, CompressedRows(Dense<double>{values.data(), 1, 2}));
}
