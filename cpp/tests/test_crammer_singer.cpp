// The optimum is proved by the duality gap; limits and seeds are kept to.
#include <algorithm>

#include "check.hpp"
#include "mercer/crammer_singer.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double of_rounding = 1e-12;

// Rows of classes that overlap.
struct Example {
  Table table;
  std::vector<std::int32_t> labels;
  std::vector<double> bounds;
  Index classes;

  Example(Index rows, Index cols, Index count, double C, unsigned seed, double density = 1)
      : table(random_table(rows, cols, seed, density)), classes(count) {
    Random random(seed + 1);
    for (Index i = 0; i < rows; ++i) {
      const Index y = i % classes;
      table.row(i)[at(y % cols)] += 0.5;
      labels.push_back(static_cast<std::int32_t>(y));
      bounds.push_back(C * (1.5 + random()));
    }
  }

  CrammerSingerProblem problem(double offset) const { return {labels, classes, bounds, offset_column(offset), {}}; }
  Matrix matrix() const { return Dense<double>{table.values.data(), table.rows, table.cols}; }

  // P and D by their formulas; checks that the dual point is feasible and makes up W.
  std::pair<double, double> objectives(const LinearSolution& found, double offset) const {
    const Index d = table.cols, cols = d + (offset != 0 ? 1 : 0);
    const auto value = [&](Index i, Index j) { return j < d ? table.row(i)[at(j)] : offset; };
    double primal = 0, dual = 0;
    for (Index m = 0; m < classes; ++m)
      for (Index j = 0; j < cols; ++j) {
        double sum = 0;
        for (Index i = 0; i < table.rows; ++i) sum += found.coef[at(i * classes + m)] * value(i, j);
        CHECK_NEAR(found.w[at(m * cols + j)], sum, 1e-9 * (1 + std::abs(sum)));
        primal += 0.5 * found.w[at(m * cols + j)] * found.w[at(m * cols + j)];
        dual -= 0.5 * sum * sum;
      }
    for (Index i = 0; i < table.rows; ++i) {
      double largest = -std::numeric_limits<double>::infinity(), own = 0, total = 0;
      for (Index m = 0; m < classes; ++m) {
        const bool is_own = m == labels[at(i)];
        const double alpha = found.coef[at(i * classes + m)];
        double f = 0;
        for (Index j = 0; j < cols; ++j) f += found.w[at(m * cols + j)] * value(i, j);
        largest = std::max(largest, f + (is_own ? 0 : 1));
        if (is_own) own = f;
        dual -= is_own ? 0 : alpha;
        total += alpha;
        CHECK(alpha <= (is_own ? bounds[at(i)] : 0));
      }
      CHECK_NEAR(total, 0.0, of_rounding * bounds[at(i)]);
      primal += bounds[at(i)] * (largest - own);
    }
    return {primal, dual};
  }

  void check_solved(const LinearSolution& found, double offset, double gap_tol) const {
    CHECK(found.status == Status::solved);
    const auto [primal, dual] = objectives(found, offset);
    CHECK(primal - dual >= -of_rounding * primal && primal - dual <= (gap_tol + of_rounding) * primal);
  }
};

LinearSolution solved(const Matrix& X, const CrammerSingerProblem& problem, double gap_tol, std::uint64_t seed = 0,
                      int threads = 1) {
  Stop stop;
  return solve_crammer_singer(X, problem, {.gap_tol = gap_tol, .seed = seed, .threads = threads}, stop);
}

}  // namespace

TEST(crammer_singer_closes_the_gap) {
  for (const double C : {1e-6, 0.01, 1.0})
    for (const double offset : {0.0, 1.0, 2.5})
      for (const Index classes : {2, 3, 4, 9, 33}) {
        const Example example(120, 6, classes, C, 11);
        example.check_solved(solved(example.matrix(), example.problem(offset), 1e-5), offset, 1e-5);
      }
}

TEST(crammer_singer_of_every_form_of_the_data_is_the_same) {
  const Example example(100, 20, 5, 0.5, 21, 0.3);
  Table table = example.table;
  for (double& x : table.values) x = static_cast<float>(x);
  const LinearSolution expected = solved(DenseData<double>(table), example.problem(1.0), 1e-9);
  const auto check = [&](const Matrix& X) {
    const LinearSolution found = solved(X, example.problem(1.0), 1e-9);
    for (std::size_t j = 0; j < found.w.size(); ++j) CHECK_NEAR(found.w[j], expected.w[j], 1e-3);
  };
  check(DenseData<float>(table));
  check(CsrData<float, std::int32_t>(table));
  check(CsrData<double, std::int32_t>(table));
  check(CsrData<float, std::int64_t>(table));
  check(CsrData<double, std::int64_t>(table));
}

TEST(crammer_singer_has_the_same_bits_for_the_same_seed) {
  const Example example(1500, 8, 4, 1.0, 31);
  const LinearSolution one = solved(example.matrix(), example.problem(1.0), 1e-4, 7);
  const LinearSolution again = solved(example.matrix(), example.problem(1.0), 1e-4, 7, 3);
  const LinearSolution other = solved(example.matrix(), example.problem(1.0), 1e-4, 8);
  CHECK(one.w == again.w && one.coef == again.coef && one.steps == again.steps);
  CHECK(one.w != other.w);
}

TEST(crammer_singer_rows_without_bound_do_not_count) {
  Example example(90, 5, 3, 1.0, 41);
  std::fill(example.bounds.begin() + 60, example.bounds.end(), 0.0);
  const LinearSolution all = solved(example.matrix(), example.problem(1.0), 1e-9);
  example.table.rows = 60;
  const LinearSolution some = solved(example.matrix(), example.problem(1.0), 1e-9);
  for (std::size_t j = 0; j < all.w.size(); ++j) CHECK_NEAR(all.w[j], some.w[j], 1e-3);
  CHECK(std::all_of(all.coef.begin() + 180, all.coef.end(), [](double a) { return a == 0; }));
}

TEST(crammer_singer_takes_rows_of_zeros) {
  Example example(60, 4, 3, 1.0, 51);
  std::ranges::fill(example.table.values, 0.0);
  example.check_solved(solved(example.matrix(), example.problem(0.0), 1e-6), 0.0, 1e-6);
  example.check_solved(solved(example.matrix(), example.problem(1.0), 1e-6), 1.0, 1e-6);
}

TEST(crammer_singer_takes_rows_next_to_zero) {
  Example example(60, 4, 3, 1.0, 52);
  for (double& x : example.table.values) x *= 1e-156;
  example.check_solved(solved(example.matrix(), example.problem(0.0), 1e-6), 0.0, 1e-6);
}

TEST(crammer_singer_keeps_to_its_limits) {
  const Example example(300, 10, 5, 100.0, 61);
  const double forever = std::numeric_limits<double>::infinity();
  const Index any = std::numeric_limits<Index>::max();
  Stop few(forever, 3, nullptr), now(0, any, nullptr);
  Stop asked(forever, any, [](const Progress&) { return false; });
  const LinearOptions tight{.gap_tol = 1e-13};
  const LinearSolution stepped = solve_crammer_singer(example.matrix(), example.problem(1.0), tight, few);
  CHECK(stepped.status == Status::step_limit && stepped.steps == 3);
  const LinearSolution timed = solve_crammer_singer(example.matrix(), example.problem(1.0), tight, now);
  CHECK(timed.status == Status::time_limit);
  CHECK(solve_crammer_singer(example.matrix(), example.problem(1.0), tight, asked).status == Status::interrupted);
  for (const LinearSolution* found : {&stepped, &timed}) {
    const auto [primal, dual] = example.objectives(*found, 1.0);
    CHECK(primal >= dual && dual >= 0);
  }
}
