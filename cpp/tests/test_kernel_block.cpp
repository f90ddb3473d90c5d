// Blocks of kernel values against the naive matrix.
#include "check.hpp"
#include "mercer/kernel_block.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double untouched = -99;

template <class T>
void check_symmetric_block(const Kernel& kernel, const Table& X, const Matrix& data, Index q, int threads) {
  const std::vector<Index> rows = scattered(q, X.rows, 5);
  const Index ld = q + 3;
  std::vector<T> K(at(q * ld), T(untouched));
  symmetric_block<T>(Prepared<T>(kernel, data), rows, K.data(), ld, {threads});
  const double tol = rounding<T>(kernel, X);
  for (Index i = 0; i < q; ++i) {
    const double self = kernel.translation_invariant() ? naive_value(kernel, X.row(0), X.row(0)) : -1;
    if (kernel.translation_invariant()) CHECK(K[at(i * ld + i)] == static_cast<T>(self));
    for (Index j = 0; j < q; ++j) {
      CHECK(K[at(i * ld + j)] == K[at(j * ld + i)]);
      CHECK_NEAR(static_cast<double>(K[at(i * ld + j)]), naive_value(kernel, X.row(rows[at(i)]), X.row(rows[at(j)])),
                 tol);
    }
    for (Index j = q; j < ld; ++j) CHECK(K[at(i * ld + j)] == T(untouched));
  }
}

template <class T>
void check_block(const Kernel& kernel, const Table& X, const Matrix& data, Index n, Index m, int threads) {
  const std::vector<Index> rows = scattered(n, X.rows, 5), columns = scattered(m, X.rows, 2);
  const Index ld = m + 3;
  std::vector<T> K(at(n * ld), T(untouched));
  kernel_block<T>(Prepared<T>(kernel, data), rows, columns, K.data(), ld, {threads});
  const Table expected = naive_matrix(kernel, X, X);
  const double tol = rounding<T>(kernel, X);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < ld; ++j)
      CHECK_NEAR(static_cast<double>(K[at(i * ld + j)]),
                 j < m ? expected.row(rows[at(i)])[at(columns[at(j)])] : untouched, tol);
}

}  // namespace

TEST(symmetric_block_is_symmetric_with_an_exact_diagonal) {
  const Table X = random_table(90, 5, 51), wide = random_table(20, 260, 52), sparse = random_table(60, 40, 53, 0.1);
  for (const Index q : {1, 7, 16, 48, 49, 90, 97, 310})
    for (const int threads : {1, 3}) {
      check_symmetric_block<float>(rbf(0.7), X, DenseData<double>(X), q, threads);
      check_symmetric_block<double>(rbf(0.7), X, DenseData<double>(X), q, threads);
    }
  for (const Kernel& kernel : {linear(), polynomial(0.5, 1, 3), sigmoid(0.5, 1), laplacian(0.7)}) {
    check_symmetric_block<float>(kernel, X, DenseData<float>(X), 55, 2);
    check_symmetric_block<double>(kernel, sparse, CsrData<double, std::int32_t>(sparse), 55, 2);
  }
  for (const Index q : {3, 20, 150, 300}) {
    check_symmetric_block<float>(rbf(0.01), wide, DenseData<float>(wide), q, 2);
    check_symmetric_block<double>(rbf(0.2), sparse, CsrData<double, std::int32_t>(sparse), q, 2);
  }
}

TEST(kernel_block_holds_the_values_of_rows_against_columns) {
  const Table X = random_table(90, 5, 51), sparse = random_table(60, 40, 53, 0.1);
  for (const Index n : {1, 7, 97, 200})
    for (const Index m : {1, 16, 257}) {
      check_block<float>(rbf(0.7), X, DenseData<double>(X), n, m, 1);
      check_block<double>(sum(linear(), laplacian(0.3)), X, DenseData<double>(X), n, m, 3);
      check_block<float>(laplacian(0.3), sparse, CsrData<double, std::int32_t>(sparse), n, m, 2);
    }
}

TEST(blocks_of_no_rows_are_empty) {
  const DenseData<double> data(random_table(4, 2, 54));
  const Prepared<double> prepared(rbf(1), data);
  const std::vector<Index> some{0, 1};
  double value = 7;
  symmetric_block<double>(prepared, {}, &value, 0, {2});
  kernel_block<double>(prepared, {}, some, &value, 2, {2});
  kernel_block<double>(prepared, some, {}, &value, 0, {2});
  CHECK(value == 7);
}
