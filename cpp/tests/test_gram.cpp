// The three Gram matrices answer alike, whatever rows are asked for and however much they may keep.
#include <stdexcept>

#include "check.hpp"
#include "mercer/gram.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr Index ample = 1 << 28;

// What a Gram matrix must say, from the naive matrix, and to which precision it is to say it.
struct Expected {
  Table K;
  double tol;
  double exact_tol;
  bool tells_diagonal = true;
};

// Rows in a random order, each at most once.
std::vector<Index> some_of(Index n, double share, Random& random) {
  std::vector<std::pair<double, Index>> keyed;
  for (Index i = 0; i < n; ++i)
    if (0.5 * (random() + 1) < share) keyed.emplace_back(random(), i);
  std::ranges::sort(keyed);
  std::vector<Index> rows;
  for (const auto& [key, i] : keyed) rows.push_back(i);
  return rows;
}

template <class T>
void check_values(Gram<T>& gram, const Expected& expected, const std::vector<Index>& rows,
                  const std::vector<Index>& columns, bool as_block) {
  Stop stop;
  const std::size_t ld = columns.size() + 2;
  std::vector<T> out(rows.size() * ld, T(-99));
  if (as_block)
    gram.block(rows, out.data(), static_cast<Index>(ld), stop);
  else
    gram.values(rows, columns, out.data(), static_cast<Index>(ld), stop);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < ld; ++j)
      CHECK_NEAR(static_cast<double>(out[i * ld + j]),
                 j < columns.size() ? expected.K.row(rows[i])[at(columns[j])] : -99, expected.tol);
}

template <class T>
void check_products(Gram<T>& gram, const Expected& expected, const std::vector<Index>& targets,
                    const std::vector<Index>& sources, Random& random) {
  Stop stop;
  const std::vector<double> coef = random.vector(static_cast<Index>(sources.size()));
  const std::vector<double> before = random.vector(static_cast<Index>(targets.size()));
  std::vector<double> out = before, exact = before;
  gram.add_products(targets, sources, coef, out.data(), stop);
  gram.add_exact_products(targets, sources, coef, exact.data(), stop);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    double sum = before[i], size = 1;
    for (std::size_t j = 0; j < sources.size(); ++j) {
      sum += coef[j] * expected.K.row(targets[i])[at(sources[j])];
      size += std::abs(coef[j]);
    }
    CHECK_NEAR(out[i], sum, expected.tol * size);
    CHECK_NEAR(exact[i], sum, expected.exact_tol * size);
  }
}

// Asks for everything, again and again.
template <class T>
void check_gram(Gram<T>& gram, const Expected& expected) {
  Random random(80);
  const Index n = gram.size();
  CHECK(n == expected.K.rows);
  std::vector<double> diagonal(at(n));
  gram.diagonal(diagonal.data());
  for (Index i = 0; i < n; ++i)
    if (expected.tells_diagonal)
      CHECK_NEAR(diagonal[at(i)], expected.K.row(i)[at(i)], expected.tol);
    else
      CHECK(std::isnan(diagonal[at(i)]));
  for (int again = 0; again < 4; ++again) {
    const std::vector<Index> rows = some_of(n, 0.4, random);
    check_values(gram, expected, rows, rows, true);
    check_values(gram, expected, some_of(n, 0.2, random), some_of(n, 0.6, random), false);
    check_products(gram, expected, some_of(n, 0.6, random), some_of(n, 0.3, random), random);
    check_products(gram, expected, some_of(n, 0.1, random), count_up_to(n), random);
    check_products(gram, expected, count_up_to(n), some_of(n, 0.1, random), random);
  }
  check_products(gram, expected, count_up_to(n), {}, random);
  check_products(gram, expected, {}, count_up_to(n), random);
  check_values(gram, expected, {}, {}, true);
  check_values(gram, expected, {0}, {}, false);
  check_values(gram, expected, {n - 1}, {n - 1}, true);
}

// At some rows of the data, in another order.
template <class T>
void check_computed(const Kernel& kernel, const Table& X, const Matrix& data, int threads) {
  Random random(81);
  const std::vector<Index> rows = some_of(X.rows, 0.8, random);
  Table part{static_cast<Index>(rows.size()), X.cols, {}};
  for (const Index i : rows) part.values.insert(part.values.end(), X.row(i).begin(), X.row(i).end());
  const auto gram = computed_gram<T>(std::make_shared<const Prepared<T>>(kernel, data), rows, threads);
  check_gram(*gram, {naive_matrix(kernel, part, part), rounding<T>(kernel, X), rounding<double>(kernel, X)});
}

}  // namespace

TEST(gram_computed_from_dense_rows_answers_as_the_naive_matrix) {
  const Table X = random_table(70, 3, 82);
  check_computed<float>(rbf(0.7), X, DenseData<double>(X), 1);
  check_computed<double>(rbf(0.7), X, DenseData<double>(X), 2);
  check_computed<double>(sum(linear(), laplacian(0.5)), X, DenseData<float>(X), 1);
}

TEST(gram_computed_from_wide_or_sparse_rows_answers_as_the_naive_matrix) {
  const Table wide = random_table(30, 1100, 83), sparse = random_table(50, 30, 84, 0.1);
  check_computed<float>(rbf(0.002), wide, DenseData<float>(wide), 2);
  check_computed<double>(polynomial(0.5, 1, 2), sparse, CsrData<float, std::int32_t>(sparse), 1);
  check_computed<float>(laplacian(0.3), sparse, CsrData<double, std::int64_t>(sparse), 2);
}

TEST(gram_computed_spans_several_chunks) {
  const Table X = random_table(700, 2, 85);
  for (const int threads : {1, 3}) check_computed<float>(rbf(1), X, DenseData<double>(X), threads);
}

// Problems on the same data share them.
TEST(gram_computed_outlives_its_makers_hold_of_the_data) {
  const Table X = random_table(20, 2, 89);
  const DenseData<double> values(X);
  auto data = std::make_shared<const Prepared<double>>(rbf(1), values);
  const auto first = computed_gram<double>(data, count_up_to(20), 1), second = computed_gram<double>(data, {5, 3}, 1);
  data.reset();
  const Expected expected{naive_matrix(rbf(1), X, X), rounding<double>(rbf(1), X), rounding<double>(rbf(1), X)};
  check_gram(*first, expected);
  CHECK(second->size() == 2);
}

TEST(gram_stored_answers_as_the_naive_matrix) {
  const Table X = random_table(330, 3, 86), K = naive_matrix(rbf(0.7), X, X);
  const DenseData<float> single(K);
  const DenseData<double> full(K);
  std::vector<Index> rows = count_up_to(330);
  std::ranges::reverse(rows);
  rows.resize(300);
  Table part{300, 300, {}};
  for (const Index i : rows)
    for (const Index j : rows) part.values.push_back(K.row(i)[at(j)]);
  for (const int threads : {1, 3}) {
    constexpr double eps = 8 * std::numeric_limits<double>::epsilon(),
                     eps_float = std::numeric_limits<float>::epsilon();
    check_gram(*stored_gram<double>(full.view(), rows, threads), {part, eps, eps});
    check_gram(*stored_gram<float>(single.view(), rows, threads), {part, eps_float, eps_float});
  }
}

TEST(gram_stored_does_not_depend_on_the_number_of_threads) {
  const Table K = random_table(150, 150, 92);
  const DenseData<float> values(K);
  const std::vector<Index> all = count_up_to(150), some = scattered(77, 150, 3);
  const std::vector<double> coef = Random(93).vector(150);
  const auto answers = [&](int threads) {
    const auto gram = stored_gram<float>(values.view(), all, threads);
    Stop stop;
    std::vector<double> products(77, 0.5);
    std::vector<float> block(77 * 150);
    gram->add_products(some, all, coef, products.data(), stop);
    gram->values(some, all, block.data(), 150, stop);
    return std::pair(products, block);
  };
  CHECK(answers(1) == answers(3));
}

TEST(gram_sourced_answers_as_the_naive_matrix_within_its_budget) {
  const Table X = random_table(60, 3, 87), K = naive_matrix(rbf(0.7), X, X);
  const Index row = 60 * 8;
  for (const Index bytes : {Index(0), row, 5 * row, 31 * row, ample}) {
    Index most_rows = 0;
    // Seven values at a time, so that calls begin and end within rows.
    const RowSource<double> source = [&](std::span<const Index> rows, Index done, double* out) {
      most_rows = std::max(most_rows, static_cast<Index>(rows.size()));
      const Index end = std::min(done + 7, static_cast<Index>(rows.size()) * 60);
      for (Index k = done; k < end; ++k) out[k] = K.row(rows[at(k / 60)])[at(k % 60)];
      return end;
    };
    const auto gram = sourced_gram<double>(source, 60, bytes);
    const double tol = 8 * std::numeric_limits<double>::epsilon();
    check_gram(*gram, {K, tol, tol, false});
    CHECK(most_rows <= std::max<Index>(1, bytes / 2 / row));
  }
}

TEST(gram_sourced_asks_for_a_kept_row_once) {
  const Table X = random_table(20, 3, 88), K = naive_matrix(rbf(0.7), X, X);
  std::vector<int> asked(20, 0);
  const RowSource<double> source = [&](std::span<const Index> rows, Index, double* out) {
    for (const Index i : rows) {
      ++asked[at(i)];
      out = std::ranges::copy(K.row(i), out).out;
    }
    return static_cast<Index>(rows.size()) * 20;
  };
  const auto gram = sourced_gram<double>(source, 20, ample);
  check_gram(*gram, {K, 1e-15, 1e-15, false});
  CHECK(asked == std::vector<int>(20, 1));
}

TEST(gram_sourced_hears_a_stop_between_the_parts_of_a_row) {
  int calls = 0;
  const RowSource<double> source = [&](std::span<const Index>, Index done, double* out) {
    ++calls;
    out[done] = 1;
    return done + 1;
  };
  const auto gram = sourced_gram<double>(source, 20, ample);
  const std::vector<Index> rows{3};
  std::vector<double> block(1);
  Stop expired(0, 1, nullptr);
  CHECK_THROWS(Stopped, gram->block(rows, block.data(), 1, expired));
  CHECK(calls == 1);
  Stop stop;
  gram->block(rows, block.data(), 1, stop);
  CHECK(calls == 21 && block[0] == 1);
}

TEST(gram_sourced_refuses_a_source_that_gives_nothing_or_too_much) {
  const std::vector<Index> rows{3};
  std::vector<double> block(1);
  for (const Index given : {0, 21}) {
    const auto gram = sourced_gram<double>([=](std::span<const Index>, Index, double*) { return given; }, 20, ample);
    Stop stop;
    CHECK_THROWS(std::logic_error, gram->block(rows, block.data(), 1, stop));
  }
}

TEST(gram_values_of_a_row_and_itself_are_exact_where_the_kernel_is_translation_invariant) {
  const Table X = random_table(40, 3, 90);
  const DenseData<double> data(X);
  for (const Kernel& kernel : {rbf(0.3), laplacian(0.3)}) {
    const auto gram = computed_gram<float>(std::make_shared<const Prepared<float>>(kernel, data), count_up_to(40), 1);
    Stop stop;
    std::vector<double> diagonal(40);
    std::vector<float> block(40 * 40);
    const std::vector<Index> rows = count_up_to(40);
    gram->diagonal(diagonal.data());
    gram->block(rows, block.data(), 40, stop);
    for (const Index i : rows) {
      std::vector<double> out(40, 0.0);
      const std::vector<double> one{1.0};
      for (int again = 0; again < 2; ++again)
        gram->add_products(rows, std::span(&rows[at(i)], 1), one, out.data(), stop);
      CHECK(out[at(i)] == 2);
      CHECK(diagonal[at(i)] == 1 && block[at(i * 41)] == 1);
    }
  }
}

TEST(gram_answers_rightly_after_a_stop) {
  const Table X = random_table(1100, 2, 91);
  const DenseData<double> data(X);
  const auto gram = computed_gram<double>(std::make_shared<const Prepared<double>>(rbf(1), data), count_up_to(1100), 1);
  const std::vector<Index> rows{3, 1000}, all = count_up_to(1100);
  const std::vector<double> coef{1, 2};
  std::vector<double> out(1100), block(1100 * 1100);
  Stop expired(0, 1, nullptr);
  CHECK_THROWS(Stopped, gram->add_products(all, rows, coef, out.data(), expired));
  CHECK_THROWS(Stopped, gram->add_exact_products(all, rows, coef, out.data(), expired));
  CHECK_THROWS(Stopped, gram->block(all, block.data(), 1100, expired));
  CHECK_THROWS(Stopped, gram->values(all, rows, block.data(), 2, expired));
  Stop stop;
  std::ranges::fill(out, 0.0);
  gram->add_products(all, rows, coef, out.data(), stop);
  for (Index i = 0; i < X.rows; ++i)
    CHECK_NEAR(out[at(i)], naive_value(rbf(1), X.row(i), X.row(3)) + 2 * naive_value(rbf(1), X.row(i), X.row(1000)),
               1e-13);
}
