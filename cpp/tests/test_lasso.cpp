// The optimum is proved by the duality gap, for every form of the data, way through the columns and kind of offset.
#include <algorithm>

#include "check.hpp"
#include "linear/lasso/columns.hpp"
#include "linear/lasso/model.hpp"
#include "mercer/lasso.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// Sums of so many terms of size C round by no more, as a share.
constexpr double of_rounding = 1e-12;

// Noisy signs of a sparse linear function.
struct Example {
  Table table;
  std::vector<double> signs, weights;

  Example(Index rows, Index cols, double C, unsigned seed, double density = 1)
      : table(random_table(rows, cols, seed, density)) {
    Random random(seed + 1);
    for (Index i = 0; i < rows; ++i) {
      const double f = table.row(i)[0] - table.row(i)[at(cols / 2)] + 0.2 + 0.3 * random();
      signs.push_back(f > 0 ? 1 : -1);
      weights.push_back(2 * C * (1.5 + random()));
    }
  }

  LinearProblem problem(double offset, bool free_offset) const {
    LinearProblem problem{.slope = signs, .weight = weights};
    problem.offsets = offset_column(offset);
    problem.free_offsets = free_offset;
    return problem;
  }
  Matrix matrix() const { return Dense<double>{table.values.data(), table.rows, table.cols}; }

  // P and D by their formulas; checks that the dual point is feasible.
  std::pair<double, double> objectives(const LinearSolution& found, double offset, bool free_offset) const {
    const std::size_t d = at(table.cols);
    double primal = 0, dual = 0, total = 0, size = 0;
    std::vector<double> sums(d, 0.0);
    for (Index i = 0; i < table.rows; ++i) {
      double f = offset != 0 ? offset * found.w[d] : 0;
      for (std::size_t j = 0; j < d; ++j) f += found.w[j] * table.row(i)[j];
      const double c = found.coef[at(i)], t = signs[at(i)], left = std::max(0.0, 1 - t * f);
      CHECK(c * t >= 0);
      primal += 0.5 * weights[at(i)] * left * left;
      dual += c * t - c * c / (2 * weights[at(i)]);
      total += c;
      size += std::abs(c);
      for (std::size_t j = 0; j < d; ++j) sums[j] += c * table.row(i)[j];
    }
    for (std::size_t j = 0; j < d; ++j) {
      primal += std::abs(found.w[j]);
      CHECK(std::abs(sums[j]) <= 1 + of_rounding * size);
    }
    if (offset != 0 && free_offset) CHECK_NEAR(total, 0.0, of_rounding * size);
    if (offset != 0 && !free_offset) {
      primal += std::abs(found.w[d]);
      CHECK(std::abs(offset * total) <= 1 + of_rounding * size);
    }
    return {primal, dual};
  }

  void check_solved(const LinearSolution& found, double offset, bool free_offset, double gap_tol) const {
    CHECK(found.status == Status::solved);
    CHECK(found.w.size() == at(table.cols) + (offset != 0 ? 1 : 0) && found.coef.size() == signs.size());
    const auto [primal, dual] = objectives(found, offset, free_offset);
    CHECK(primal - dual >= -of_rounding * primal && primal - dual <= (gap_tol + of_rounding) * primal);
  }
};

LassoOptions within(double gap_tol) {
  LassoOptions options;
  options.gap_tol = gap_tol;
  return options;
}

LinearSolution solved(const Matrix& X, const LinearProblem& problem, const LassoOptions& options) {
  Stop stop;
  return solve_lasso(X, problem, options, stop);
}

}  // namespace

TEST(lasso_closes_the_gap_with_every_kind_of_offset) {
  for (const double C : {1e-6, 0.01, 1.0, 100.0})
    for (const double offset : {0.0, 1.0, 2.5})
      for (const bool is_free : {false, true}) {
        const Example example(200, 12, C, 11);
        example.check_solved(solved(example.matrix(), example.problem(offset, is_free), within(1e-8)), offset, is_free,
                             1e-8);
      }
}

TEST(lasso_of_every_form_of_the_data_is_the_same) {
  const Example example(150, 30, 1.0, 21, 0.3);
  const LinearProblem problem = example.problem(1.0, false);
  const LinearSolution expected = solved(example.matrix(), problem, within(1e-10));
  const auto check = [&](const Matrix& X) {
    const LinearSolution found = solved(X, problem, within(1e-10));
    for (std::size_t j = 0; j < found.w.size(); ++j) CHECK_NEAR(found.w[j], expected.w[j], 1e-6);
  };
  check(DenseData<float>(example.table));
  check(CsrData<float, std::int32_t>(example.table));
  check(CsrData<double, std::int32_t>(example.table));
  check(CsrData<float, std::int64_t>(example.table));
  check(CsrData<double, std::int64_t>(example.table));
}

TEST(lasso_by_sets_of_columns_and_column_by_column_is_the_same) {
  for (const bool is_free : {false, true}) {
    const Example example(120, 400, 3.0, 31);
    const LinearProblem problem = example.problem(1.0, is_free);
    const LinearSolution whole = solved(example.matrix(), problem, within(1e-9));
    for (const Index most_factored : {0, 100, 2000}) {
      LassoOptions options = within(1e-9);
      options.most_whole = 10;
      options.most_factored = most_factored;
      const LinearSolution by_sets = solved(example.matrix(), problem, options);
      example.check_solved(by_sets, 1.0, is_free, 1e-9);
      for (std::size_t j = 0; j < whole.w.size(); ++j) CHECK_NEAR(by_sets.w[j], whole.w[j], 1e-5);
      CHECK(std::ranges::count(by_sets.w, 0.0) > 200);
    }
  }
}

TEST(lasso_is_the_same_on_any_number_of_threads) {
  const Example example(5000, 20, 1.0, 41);
  LassoOptions options = within(1e-6);
  const LinearSolution one = solved(example.matrix(), example.problem(1.0, false), options);
  options.threads = 3;
  const LinearSolution three = solved(example.matrix(), example.problem(1.0, false), options);
  CHECK(one.w == three.w && one.coef == three.coef && one.steps == three.steps);
}

TEST(lasso_takes_columns_of_zeros_constants_and_copies) {
  Example example(100, 8, 1.0, 51);
  for (Index i = 0; i < 100; ++i) {
    const std::span<double> x = example.table.row(i);
    x[1] = 0;
    x[2] = 1;
    x[3] = x[0];
    x[5] = -x[4];
  }
  for (const double C : {1e-3, 1.0, 1e4}) {
    std::ranges::fill(example.weights, 2 * C);
    const LinearSolution found = solved(example.matrix(), example.problem(1.0, false), within(1e-7));
    example.check_solved(found, 1.0, false, 1e-7);
    CHECK(found.w[1] == 0);
  }
}

TEST(lasso_of_separable_rows_with_huge_bounds_is_that_of_the_largest_margin) {
  Example example(80, 3, 1e6, 61);
  for (Index i = 0; i < 80; ++i) {
    const std::span<double> x = example.table.row(i);
    example.signs[at(i)] = i % 2 == 0 ? 1 : -1;
    x[0] = example.signs[at(i)] * (2 + std::abs(x[0]));
  }
  example.table.row(0)[0] = 2;
  example.table.row(1)[0] = -2;
  const LinearSolution found = solved(example.matrix(), example.problem(0.0, false), within(1e-8));
  example.check_solved(found, 0.0, false, 1e-8);
  CHECK(found.w[0] <= 0.5 + 1e-5);
}

TEST(lasso_without_rows_that_count_has_no_weights) {
  Example example(50, 4, 1.0, 71);
  std::ranges::fill(example.weights, 0.0);
  const LinearSolution found = solved(example.matrix(), example.problem(1.0, false), within(1e-6));
  CHECK(found.status == Status::solved);
  CHECK(std::ranges::all_of(found.w, [](double x) { return x == 0; }));
}

TEST(lasso_of_rows_of_one_side_with_a_free_offset_has_no_weights) {
  Example example(50, 4, 1.0, 72);
  std::ranges::fill(example.signs, 1.0);
  const LinearSolution found = solved(example.matrix(), example.problem(1.0, true), within(1e-6));
  CHECK(found.status == Status::solved);
  for (std::size_t j = 0; j < 4; ++j) CHECK(found.w[j] == 0);
  CHECK(found.w[4] >= 1 - of_rounding);
}

TEST(lasso_rows_without_weight_do_not_count) {
  Example example(100, 6, 1.0, 73);
  std::fill(example.weights.begin() + 60, example.weights.end(), 0.0);
  const LinearSolution all = solved(example.matrix(), example.problem(1.0, false), within(1e-10));
  example.table.rows = 60;
  example.signs.resize(60);
  example.weights.resize(60);
  const LinearSolution some = solved(example.matrix(), example.problem(1.0, false), within(1e-10));
  for (std::size_t j = 0; j < all.w.size(); ++j) CHECK_NEAR(all.w[j], some.w[j], 1e-7);
  CHECK(std::all_of(all.coef.begin() + 60, all.coef.end(), [](double c) { return c == 0; }));
}

TEST(lasso_with_a_free_offset_stays_finite_where_one_side_weighs_next_to_nothing) {
  // Centring the offset then ends between two neighbouring numbers.
  for (const double small : {1e-2, 1e-4, 1e-6, 1e-9}) {
    const Table table = random_table(60, 3, 41);
    const DenseData<double> X(table);
    std::vector<double> signs(60, -1.0), weights(60, 2.0);
    for (std::size_t i = 0; i < 20; ++i) signs[i] = 1, weights[i] = 2 * small;
    LinearProblem problem{.slope = signs, .weight = weights};
    problem.offsets = offset_column(1.0);
    problem.free_offsets = true;
    Stop stop;
    const LinearSolution found = solve_lasso(X, problem, {}, stop);
    CHECK(found.status == Status::solved);
    for (const double w : found.w) CHECK(std::isfinite(w));
    CHECK_NEAR(found.w.back(), -1, 0.1);
  }
}

TEST(lasso_keeps_to_its_limits_and_stays_feasible) {
  const Example example(300, 600, 10.0, 81);
  const double forever = std::numeric_limits<double>::infinity();
  const Index any = std::numeric_limits<Index>::max();
  for (const Index most_whole : {10, 2000}) {
    LassoOptions options = within(1e-12);
    options.most_whole = most_whole;
    Stop few(forever, 3, nullptr), now(0, any, nullptr);
    const LinearSolution stepped = solve_lasso(example.matrix(), example.problem(1.0, false), options, few);
    CHECK(stepped.status == Status::step_limit && stepped.steps == 3);
    const LinearSolution timed = solve_lasso(example.matrix(), example.problem(1.0, false), options, now);
    CHECK(timed.status == Status::time_limit);
    for (const LinearSolution* found : {&stepped, &timed}) {
      const auto [primal, dual] = example.objectives(*found, 1.0, false);
      CHECK(primal >= dual && dual >= 0);
    }
  }
}

TEST(lasso_model_by_matrix_and_by_columns_has_the_same_minimum) {
  const Table table = random_table(60, 9, 91);
  const Matrix X = Dense<double>{table.values.data(), 60, 9};
  Random random(92);
  std::vector<double> w = random.vector(10), gradient = random.vector(10), penalty(10, 1.0), ridge(10, 0.01), h(60);
  for (double& x : gradient) x *= 20;
  for (double& x : h) x = 1 + random();
  penalty[9] = 0;
  std::vector<double> H(100, 0.0);
  for (Index i = 0; i < 60; ++i)
    for (Index a = 0; a < 10; ++a)
      for (Index b = 0; b < 10; ++b)
        H[at(10 * a + b)] += h[at(i)] * (a < 9 ? table.row(i)[at(a)] : 0.5) * (b < 9 ? table.row(i)[at(b)] : 0.5);
  const LassoModel model{w, gradient, penalty, ridge};
  const auto objective = [&](const std::vector<double>& u) {
    double sum = 0;
    for (std::size_t a = 0; a < 10; ++a) {
      sum += gradient[a] * (u[a] - w[a]) + 0.5 * ridge[a] * (u[a] - w[a]) * (u[a] - w[a]) + penalty[a] * std::abs(u[a]);
      for (std::size_t b = 0; b < 10; ++b) sum += 0.5 * H[10 * a + b] * (u[a] - w[a]) * (u[b] - w[b]);
    }
    return sum;
  };
  Stop stop;
  const double by_matrix = objective(minimise_by_matrix(model, H.data(), stop));
  const double by_columns = objective(minimise_by_columns(model, Columns(X, offset_column(0.5)), h, stop));
  const double gained = objective(w) - by_matrix;
  CHECK(gained > 1);
  CHECK_NEAR(by_matrix, by_columns, 1e-2 * gained);
}

TEST(columns_are_those_of_the_rows) {
  const Table table = random_table(7, 5, 95, 0.6);
  const CsrData<float, std::int64_t> sparse(table);
  const Columns columns(sparse, offset_column(2.0));
  CHECK(columns.begin.size() == 7);
  for (Index j = 0; j < 6; ++j) {
    std::vector<double> dense(7, 0.0);
    for (Index e = columns.begin[at(j)]; e < columns.begin[at(j + 1)]; ++e)
      dense[at(columns.rows[at(e)])] += columns.values[at(e)];
    for (Index i = 0; i < 7; ++i) CHECK(dense[at(i)] == (j < 5 ? table.row(i)[at(j)] : 2.0));
  }
}

TEST(column_subsets_keep_type_and_values) {
  const Table table = random_table(6, 5, 96, 0.7);
  const std::vector<Index> chosen{1, 4};
  const CsrData<float, std::int32_t> sparse(table);
  const DenseData<double> dense(table);
  for (const Matrix& X : {Matrix(sparse), Matrix(dense)}) {
    const ColumnSubset subset(X, chosen);
    CHECK(subset.matrix().index() == X.index() && cols_of(subset.matrix()) == 2 && rows_of(subset.matrix()) == 6);
    const Columns columns(subset.matrix(), {});
    for (Index j = 0; j < 2; ++j) {
      double sum = 0, expected = 0;
      for (Index e = columns.begin[at(j)]; e < columns.begin[at(j + 1)]; ++e)
        sum += columns.values[at(e)] * static_cast<double>(columns.rows[at(e)] + 1);
      for (Index i = 0; i < 6; ++i) expected += table.row(i)[at(chosen[at(j)])] * static_cast<double>(i + 1);
      CHECK_NEAR(sum, expected, 1e-14);
    }
  }
}
