// Rows that are held out: they are valued by a machine of the others, and the end is the optimum of all.
#include "check.hpp"
#include "problem.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double tight = 1e-7;
constexpr Index rows = 300, held_out = 60;

Solution solved_with_rows_held_out(const Problem& problem, const SolverOptions& options, bool cold = true) {
  BoxQp qp = problem.qp();
  qp.cold = cold;
  qp.held_out = held_out;
  Stop stop;
  return solve<double>(qp, *problem.computed(), options, stop);
}

// The first rows as a problem of their own, its optimum, and what its machine makes of the rows behind them.
struct Others {
  std::vector<double> values;
  double offset;
};
Others by_others(const Problem& problem, double C) {
  Problem part = problem;
  for (Index i = rows - held_out; i < rows; ++i) part.bound(i, 0);
  const Solution best = solved(part, *part.stored(), whole(1e-9));
  Others found{{}, 0};
  for (Index i = rows - held_out; i < rows; ++i)
    found.values.push_back(problem.slope[at(i)] - problem.product(best.coef, i));
  double free = 0;
  for (Index i = 0; i < rows - held_out; ++i)
    if (const double size = std::abs(best.coef[at(i)]); size > 1e-6 * C && size < (1 - 1e-6) * C) {
      found.offset += problem.slope[at(i)] - problem.product(best.coef, i);
      ++free;
    }
  found.offset /= free;
  return found;
}

// The root of the mean square of their differences.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

}  // namespace

TEST(held_out_rows_are_valued_by_a_machine_that_does_not_know_them) {
  const double C = 10;
  const Problem problem = noisy_classes(rows, 520, C, rbf(30));
  const Others others = by_others(problem, C);
  for (SolverOptions options : {whole(tight), tiny_sets(tight)}) {
    const Solution solution = solved_with_rows_held_out(problem, options);
    check_solved(problem, solution, tight);
    CHECK(static_cast<Index>(solution.held_out.values.size()) == held_out);
    // Samples are solved roughly, to 0.3; a machine that knows the rows has other values.
    std::vector<double> known;
    for (Index i = rows - held_out; i < rows; ++i)
      known.push_back(problem.slope[at(i)] - problem.product(solution.coef, i));
    CHECK(distance(solution.held_out.values, others.values) < 0.3);
    CHECK(distance(solution.held_out.values, known) > 2 * distance(solution.held_out.values, others.values));
    CHECK_NEAR(solution.held_out.offsets[0], others.offset, 0.3);
  }
}

TEST(held_out_rows_do_not_change_the_optimum) {
  const Problem problem = noisy_classes(rows, 521, 5);
  const Solution plain = solved(problem, *problem.stored(), whole(tight));
  const Solution solution = solved_with_rows_held_out(problem, tiny_sets(tight));
  CHECK_NEAR(problem.objective(solution.coef), problem.objective(plain.coef),
             tight * std::abs(problem.objective(plain.coef)));
}

TEST(held_out_rows_are_not_valued_where_the_start_knows_them) {
  Problem problem = noisy_classes(rows, 522, 2);
  problem.start = some_feasible_point(problem, 523);
  const Solution solution = solved_with_rows_held_out(problem, whole(tight), false);
  check_solved(problem, solution, tight);
  CHECK(solution.held_out.values.empty());
}
