// The three Gram matrices answer alike, whatever is active and however much they may keep.
#include <stdexcept>

#include "check.hpp"
#include "mercer/gram.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr Index ample = 1 << 28;

// What the rows of a Gram matrix must say, from the naive matrix.
struct Expected {
  Table K;  // of all rows
  double tol;
  std::vector<Index> active;

  double value(Index i, Index j) const { return K.row(active[at(i)])[at(active[at(j)])]; }
};

template <class T>
void check_block(Gram<T>& gram, const Expected& expected, const std::vector<Index>& rows) {
  Stop stop;
  std::vector<T> out(rows.size() * rows.size(), T(-99));
  gram.block(rows, out.data(), stop);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      CHECK_NEAR(static_cast<double>(out[i * rows.size() + j]), expected.value(rows[i], rows[j]), expected.tol);
}

template <class T>
void check_product(Gram<T>& gram, const Expected& expected, const std::vector<Index>& rows, Random& random) {
  Stop stop;
  const std::vector<double> coef = random.vector(static_cast<Index>(rows.size()));
  const std::vector<double> before = random.vector(static_cast<Index>(expected.active.size()));
  std::vector<double> out = before;
  gram.add_product(rows, coef, out.data(), stop);
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = before[i];
    for (std::size_t j = 0; j < rows.size(); ++j) sum += coef[j] * expected.value(static_cast<Index>(i), rows[j]);
    CHECK_NEAR(out[i], sum, expected.tol * static_cast<double>(rows.size() + 1));
  }
}

template <class T>
void check_exact_product(Gram<T>& gram, const Expected& expected, double tol, Random& random) {
  Stop stop;
  std::vector<double> coef = random.vector(gram.size()), out(at(gram.size()), -99);
  for (std::size_t j = 0; j < coef.size(); j += 2) coef[j] = 0;
  gram.exact_product(coef, out.data(), stop);
  for (Index i = 0; i < gram.size(); ++i) {
    double sum = 0;
    for (Index j = 0; j < gram.size(); ++j) sum += coef[at(j)] * expected.K.row(i)[at(j)];
    CHECK_NEAR(out[at(i)], sum, tol * static_cast<double>(gram.size()));
  }
}

std::vector<Index> some_of(Index n, double share, Random& random) {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i)
    if (0.5 * (random() + 1) < share) rows.push_back(i);
  return rows;
}

// Asks for everything, with all rows active, then fewer, fewer still, others, and all again.
template <class T>
void check_gram(Gram<T>& gram, Expected expected, double exact_tol) {
  Random random(80);
  const Index n = gram.size();
  CHECK(n == expected.K.rows);
  std::vector<double> diagonal(at(n));
  gram.diagonal(diagonal.data());
  for (Index i = 0; i < n; ++i) CHECK_NEAR(diagonal[at(i)], expected.K.row(i)[at(i)], expected.tol);

  expected.active = count_up_to(n);
  const std::vector<Index> others = some_of(n, 0.5, random);
  for (int round = 0; round < 5; ++round) {
    const auto active = static_cast<Index>(expected.active.size());
    for (int again = 0; again < 3; ++again) {
      check_block(gram, expected, some_of(active, 0.4, random));
      check_product(gram, expected, some_of(active, 0.4, random), random);
    }
    check_product(gram, expected, count_up_to(active), random);
    check_product(gram, expected, {}, random);
    check_exact_product(gram, expected, exact_tol, random);
    check_product(gram, expected, some_of(active, 0.4, random), random);

    std::vector<Index> next;
    if (round < 2)
      for (const Index k : some_of(active, 0.7, random)) next.push_back(expected.active[at(k)]);
    else
      next = round == 2 ? others : count_up_to(n);
    gram.activate(next);
    expected.active = next;
  }
}

// Points take room of their own first: budgets from nothing over a few rows to everything.
template <class T>
void check_computed(const Kernel& kernel, const Table& X, const Matrix& data, int threads) {
  Random random(81);
  const std::vector<Index> rows = some_of(X.rows, 0.8, random);
  Table part{static_cast<Index>(rows.size()), X.cols, {}};
  for (const Index i : rows) part.values.insert(part.values.end(), X.row(i).begin(), X.row(i).end());
  const Expected expected{naive_matrix(kernel, part, part), rounding<T>(kernel, X), {}};
  const Index points = Points<T>(data, &rows, frame_for(kernel, data), layout_for(kernel, data)).bytes();
  const Index row = part.rows * static_cast<Index>(sizeof(T));
  for (const Index bytes : {Index(0), points, points + row, points + 7 * row / 2, points + 20 * row, ample}) {
    const auto gram = computed_gram<T>(kernel, data, rows, {bytes, threads});
    check_gram(*gram, expected, rounding<double>(kernel, X));
  }
}

}  // namespace

TEST(gram_computed_from_dense_rows_answers_as_the_naive_matrix) {
  const Table X = random_table(70, 3, 82);
  check_computed<float>(rbf(0.7), X, DenseData<double>(X), 1);
  check_computed<double>(rbf(0.7), X, DenseData<double>(X), 2);
  check_computed<double>(sum(linear(), laplacian(0.5)), X, DenseData<float>(X), 1);
}

TEST(gram_computed_from_wide_or_sparse_rows_answers_as_the_naive_matrix) {
  const Table wide = random_table(30, 256, 83), sparse = random_table(50, 30, 84, 0.1);
  check_computed<float>(rbf(0.01), wide, DenseData<float>(wide), 2);
  check_computed<double>(polynomial(0.5, 1, 2), sparse, CsrData<float, std::int32_t>(sparse), 1);
  check_computed<float>(laplacian(0.3), sparse, CsrData<double, std::int64_t>(sparse), 2);
}

TEST(gram_computed_spans_several_chunks) {
  const Table X = random_table(700, 2, 85);
  const DenseData<double> data(X);
  const Expected expected{naive_matrix(rbf(1), X, X), rounding<float>(rbf(1), X), {}};
  const auto gram = computed_gram<float>(rbf(1), data, count_up_to(700), {300 * 700 * 4, 3});
  check_gram(*gram, expected, rounding<double>(rbf(1), X));
}

TEST(gram_stored_answers_as_the_naive_matrix) {
  const Table X = random_table(330, 3, 86), K = naive_matrix(rbf(0.7), X, X);
  const DenseData<float> single(K);
  const DenseData<double> full(K);
  std::vector<Index> rows = count_up_to(330);
  std::ranges::reverse(rows);
  rows.resize(300);
  Expected expected{{300, 300, {}}, 0, {}};
  for (const Index i : rows)
    for (const Index j : rows) expected.K.values.push_back(K.row(i)[at(j)]);
  for (const int threads : {1, 3}) {
    expected.tol = std::numeric_limits<double>::epsilon() * 8;
    check_gram(*stored_gram<double>(full.view(), rows, {0, threads}), expected, expected.tol);
    expected.tol = std::numeric_limits<float>::epsilon();
    check_gram(*stored_gram<float>(single.view(), rows, {0, threads}), expected, expected.tol);
  }
}

TEST(gram_sourced_answers_as_the_naive_matrix_within_its_budget) {
  const Table X = random_table(60, 3, 87), K = naive_matrix(rbf(0.7), X, X);
  const Index row = 60 * 8;
  for (const Index bytes : {Index(0), row, 5 * row, 31 * row, ample}) {
    Index most_rows = 0;
    const RowSource<double> source = [&](std::span<const Index> rows, double* out) {
      most_rows = std::max(most_rows, static_cast<Index>(rows.size()));
      for (const Index i : rows) out = std::ranges::copy(K.row(i), out).out;
    };
    std::vector<double> diagonal;
    for (Index i = 0; i < 60; ++i) diagonal.push_back(K.row(i)[at(i)]);
    const auto gram = sourced_gram<double>(source, diagonal, {bytes, 1});
    const double tol = 8 * std::numeric_limits<double>::epsilon();
    check_gram(*gram, {K, tol, {}}, tol);
    CHECK(most_rows <= std::max<Index>(1, bytes / 2 / row));
  }
}

TEST(gram_sourced_asks_for_a_kept_row_once) {
  const Table X = random_table(20, 3, 88), K = naive_matrix(rbf(0.7), X, X);
  Index asked = 0;
  const RowSource<double> source = [&](std::span<const Index> rows, double* out) {
    asked += static_cast<Index>(rows.size());
    for (const Index i : rows) out = std::ranges::copy(K.row(i), out).out;
  };
  const auto gram = sourced_gram<double>(source, std::vector<double>(20, 1.0), {ample, 1});
  check_gram(*gram, {K, 1e-15, {}}, 1e-15);
  CHECK(asked == 20);
}

TEST(gram_refuses_kernel_values_that_do_not_fit) {
  const DenseData<double> far(Table{2, 1, {1e14, -1e14}});
  const auto open = [&](const Kernel& kernel) { computed_gram<float>(kernel, far, {0, 1}, {0, 1}); };
  CHECK_THROWS(std::overflow_error, open(polynomial(1, 0, 3)));
  CHECK_THROWS(std::overflow_error, open(product(linear(), linear())));
  open(linear());
  computed_gram<double>(polynomial(1, 0, 3), far, {0, 1}, {0, 1});
}

// A factor beyond the range makes the product infinite though the product itself would fit.
TEST(gram_refuses_kernels_with_a_factor_that_does_not_fit) {
  const DenseData<double> far(Table{2, 1, {1e7, -1e7}});
  CHECK_THROWS(std::overflow_error,
               computed_gram<float>(product(polynomial(1, 0, 3), constant(1e-10)), far, {0, 1}, {0, 1}));
}

TEST(gram_diagonal_of_translation_invariant_kernels_is_exact) {
  const Table X = random_table(40, 3, 90);
  const DenseData<double> data(X);
  for (const Kernel& kernel : {rbf(0.3), laplacian(0.3)}) {
    const auto gram = computed_gram<float>(kernel, data, count_up_to(40), {ample, 1});
    Stop stop;
    const std::vector<Index> rows = count_up_to(40);
    for (const Index i : rows) {
      std::vector<double> out(40, 0.0);
      const std::vector<double> one{1.0};
      for (int again = 0; again < 2; ++again) gram->add_product(std::span(&rows[at(i)], 1), one, out.data(), stop);
      CHECK(out[at(i)] == 2);
    }
  }
}

TEST(gram_answers_rightly_after_a_stop) {
  const Table X = random_table(1100, 2, 91);
  const DenseData<double> data(X);
  const auto gram = computed_gram<double>(rbf(1), data, count_up_to(1100), {ample, 1});
  const std::vector<Index> rows{3, 1000};
  const std::vector<double> coef{1, 2};
  std::vector<double> out(1100);
  Stop expired(0, 1, nullptr);
  CHECK_THROWS(Stopped, gram->add_product(rows, coef, out.data(), expired));
  Stop stop;
  std::ranges::fill(out, 0.0);
  gram->add_product(rows, coef, out.data(), stop);
  for (Index i = 0; i < X.rows; ++i)
    CHECK_NEAR(out[at(i)], naive_value(rbf(1), X.row(i), X.row(3)) + 2 * naive_value(rbf(1), X.row(i), X.row(1000)),
               1e-13);
}
