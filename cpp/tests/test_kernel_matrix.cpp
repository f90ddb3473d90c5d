// Kernel matrices: every kernel in every layout against its formula, and what happens to rows that are very far away.
#include <stdexcept>

#include "check.hpp"
#include "mercer/centres.hpp"
#include "mercer/kernel_block.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// gamma is chosen for exponents of order one.
std::vector<Kernel> kernels(Index cols) {
  const double g = 1.0 / static_cast<double>(cols);
  std::vector<double> weights(at(cols), g);
  weights.front() = 2 * g, weights.back() = 0;
  return {linear(),
          weighted("rbf", weights),
          weighted("laplacian", weights),
          product(sum(linear(), weighted("rbf", weights)), sum(weighted("laplacian", weights), rbf(g))),
          product(constant(-2.5), rbf(g)),
          product(constant(0.3), sum(laplacian(g), polynomial(g, 0.5, 2))),
          polynomial(g, 0.5, 3),
          polynomial(g, 1, 4),
          sigmoid(g, -0.25),
          rbf(g),
          laplacian(g),
          constant(0.75),
          sum(rbf(g), rbf(3 * g)),
          product(rbf(g), laplacian(g)),
          sum(linear(), product(polynomial(g, 1, 2), sum(rbf(g), constant(2)))),
          product(sum(linear(), laplacian(g)), sum(sigmoid(g, 0), constant(-1)))};
}

template <class T>
std::vector<T> matrix_of(const Kernel& kernel, const Matrix& X, const Matrix& Z, int threads = 1) {
  std::vector<T> out(at(rows_of(X) * rows_of(Z)), T(-99));
  Centres<T>(kernel, Z).matrix(X, out.data(), {threads});
  return out;
}

template <class T>
void check_matrix(const std::vector<T>& found, const Table& expected, double tol) {
  for (std::size_t k = 0; k < expected.values.size(); ++k)
    CHECK_NEAR(static_cast<double>(found[k]), expected.values[k], tol);
}

template <class T, class Data>
void check_kernels(const Table& X, const Table& Z) {
  for (const Kernel& kernel : kernels(X.cols))
    check_matrix(matrix_of<T>(kernel, Data(X), Data(Z)), naive_matrix(kernel, X, Z), rounding<T>(kernel, Z));
}

constexpr Index wide = 1100;  // more features than are taken at once

template <class T>
constexpr double near = 8 * std::numeric_limits<T>::epsilon();

// The median row is the origin, so that centring leaves the far rows where they are.
template <class T>
void check_far_rows(double far) {
  const Table X{5, 2, {far, 0, -far, 0, 0, 1, far, 1, 0, 0}};
  const DenseData<double> data(X);
  const Table expected = naive_matrix(rbf(1), X, X);
  check_matrix(matrix_of<T>(rbf(1), data, data), expected, near<T>);
  const std::vector<Index> rows = count_up_to(5);
  const Prepared<T> prepared(rbf(1), data);
  std::vector<T> out(25);
  symmetric_block<T>(prepared, rows, out.data(), 5, {});
  check_matrix(out, expected, near<T>);
  kernel_block<T>(prepared, rows, rows, out.data(), 5, {});
  check_matrix(out, expected, near<T>);
}

}  // namespace

TEST(kernel_matrix_of_thin_dense_data_equals_the_formula) {
  at_every_level([](auto type, const auto&) {
    using T = decltype(type);
    check_kernels<T, DenseData<double>>(random_table(53, 7, 30), random_table(41, 7, 31));
    check_kernels<T, DenseData<float>>(random_table(3, 1, 32), random_table(270, 1, 33));
  });
}

TEST(kernel_matrix_of_wide_dense_data_equals_the_formula) {
  check_kernels<float, DenseData<float>>(random_table(9, wide, 34), random_table(21, wide, 35));
  check_kernels<double, DenseData<double>>(random_table(9, wide + 3, 36), random_table(21, wide + 3, 37));
}

TEST(kernel_matrix_of_sparse_data_equals_the_formula) {
  at_every_level([](auto type, const auto&) {
    using T = decltype(type);
    const Table X = random_table(51, 40, 38, 0.1), Z = random_table(37, 40, 39, 0.1);
    check_kernels<T, CsrData<double, std::int32_t>>(X, Z);
    check_kernels<T, CsrData<float, std::int64_t>>(X, Z);
  });
}

TEST(kernel_matrix_spans_several_tiles_and_chunks) {
  const Table X = random_table(203, 3, 40), Z = random_table(600, 3, 41);
  const Table sparse_X = random_table(203, 30, 42, 0.1), sparse_Z = random_table(600, 30, 43, 0.1);
  for (const Kernel& kernel : {rbf(1), sum(linear(), laplacian(0.5))}) {
    check_matrix(matrix_of<double>(kernel, DenseData<double>(X), DenseData<double>(Z), 2), naive_matrix(kernel, X, Z),
                 rounding<double>(kernel, Z));
    check_matrix(
        matrix_of<double>(kernel, CsrData<double, std::int32_t>(sparse_X), CsrData<double, std::int32_t>(sparse_Z), 2),
        naive_matrix(kernel, sparse_X, sparse_Z), rounding<double>(kernel, sparse_Z));
  }
}

TEST(kernel_matrix_does_not_depend_on_the_number_of_threads) {
  const DenseData<double> X(random_table(301, 4, 44)), Z(random_table(50, 4, 45));
  const std::vector<float> alone = matrix_of<float>(rbf(1), X, Z, 1);
  for (int threads = 2; threads <= 4; ++threads) CHECK(matrix_of<float>(rbf(1), X, Z, threads) == alone);
}

TEST(kernel_matrix_keeps_small_distances_far_from_the_origin) {
  Table X = random_table(20, 3, 46);
  for (double& x : X.values) x = static_cast<float>(0.25 * x) + 1024;  // exact in float
  const DenseData<float> data(X);
  check_matrix(matrix_of<float>(rbf(1), data, data), naive_matrix(rbf(1), X, X), 16 * near<float>);
}

TEST(kernel_matrix_of_rows_whose_squared_norms_overflow_is_right) {
  check_far_rows<double>(1e200);
  check_far_rows<float>(1e20);
}

// The norms fit, their sum does not.
TEST(kernel_matrix_of_rows_whose_squared_norms_nearly_overflow_is_right) {
  check_far_rows<double>(1.2e154);
  check_far_rows<float>(1.6e19);
}

// Sparse distances come from norms and dot products alone: only those beyond rounding can be told.
TEST(kernel_matrix_of_sparse_rows_whose_squared_norms_nearly_overflow_is_right_or_refused) {
  const auto check = [](auto type, double far) {
    using T = decltype(type);
    const CsrData<double, std::int32_t> data(Table{3, 2, {far, 0, -far, 0, 0, far}});
    try {
      const std::vector<T> found = matrix_of<T>(rbf(1), data, data);
      for (std::size_t k = 0; k < 9; ++k) CHECK(found[k] == (k % 4 == 0 ? T(1) : T(0)));
    } catch (const std::overflow_error&) {
    }
  };
  check(double{}, 1e150);
  check(double{}, 1.2e154);
  check(float{}, 1e18);
  check(float{}, 1.6e19);
}

TEST(kernel_matrix_of_wide_rows_far_out_keeps_small_distances) {
  Table X = random_table(6, wide, 47);
  for (double& x : X.values) x = static_cast<float>(0.0625 * x) + 1024;  // exact in float
  Table with_origin{13, wide, std::vector<double>(at(7 * wide), 0.0)};   // which is the median, so nothing is moved
  with_origin.values.insert(with_origin.values.end(), X.values.begin(), X.values.end());
  check_matrix(matrix_of<float>(rbf(1), DenseData<float>(X), DenseData<float>(with_origin)),
               naive_matrix(rbf(1), X, with_origin), rounding<float>(rbf(1), X));
}

// One row against so many that threads share the columns.
TEST(kernel_matrix_of_few_rows_and_many_columns_does_not_depend_on_the_number_of_threads) {
  const Table X = random_table(2, 3, 48), Z = random_table(9000, 3, 49);
  const DenseData<double> queries(X), centres(Z);
  const std::vector<float> alone = matrix_of<float>(rbf(1), queries, centres, 1);
  check_matrix(alone, naive_matrix(rbf(1), X, Z), rounding<float>(rbf(1), Z));
  CHECK(matrix_of<float>(rbf(1), queries, centres, 3) == alone);
}
