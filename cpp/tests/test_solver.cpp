// The solver finds the optimum, by every way through it: checked by the KKT conditions from scratch.
#include "check.hpp"
#include "problem.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double tight = 1e-9;

// By one block, tiny samples and working sets with and without screening, from computed, stored and sourced values.
void check_every_way(const Problem& problem) {
  const Solution reference = solved(problem, *problem.computed(), whole(tight));
  check_solved(problem, reference, tight);
  const double best = problem.objective(reference.coef);
  const auto check = [&](Gram<double>& gram, const SolverOptions& options) {
    const Solution solution = solved(problem, gram, options);
    check_solved(problem, solution, tight);
    CHECK_NEAR(problem.objective(solution.coef), best, tight * std::abs(best));
  };
  SolverOptions unscreened = tiny_sets(tight);
  unscreened.screening = false;
  for (const SolverOptions& options : {whole(tight), tiny_sets(tight), unscreened}) {
    check(*problem.computed(), options);
    check(*problem.stored(), options);
  }
  check(*problem.computed(2), tiny_sets(tight));
  for (const Index rows_kept : {0, 12, 1000}) check(*problem.sourced(rows_kept), tiny_sets(tight));
}

}  // namespace

TEST(solver_solves_two_points_in_closed_form) {
  const Table X{2, 2, {0, 1, 2, 0}};
  for (const double C : {0.1, 0.25, 100.0, infinity})
    for (const Kernel& kernel : {linear(), rbf(0.1)})
      for (const SolverOptions& options : {whole(tight), tiny_sets(tight)}) {
        const Problem problem(X, kernel, {1, -1}, C);
        const double distance = problem.K.values[0] + problem.K.values[3] - 2 * problem.K.values[1];
        const Solution solution = solved(problem, *problem.computed(), options);
        check_solved(problem, solution, tight);
        for (const double c : solution.coef) CHECK_NEAR(std::abs(c), std::min(C, 2 / distance), 1e-12);
      }
}

TEST(solver_finds_the_optimum_by_every_way) {
  for (const unsigned seed : {100, 101, 102})
    for (const double C : {0.5, 20.0}) check_every_way(noisy_classes(70, seed, C));
}

TEST(solver_keeps_to_the_own_bound_of_each_variable) {
  for (const unsigned seed : {110, 111}) {
    const Problem problem = own_bounds(60, seed, 5);
    check_every_way(problem);
    const Solution solution = solved(problem, *problem.computed(), tiny_sets(tight));
    for (std::size_t i = 0; i < solution.coef.size(); i += 5) CHECK(solution.coef[i] == 0);
  }
}

TEST(solver_takes_kernels_of_other_families) {
  check_every_way(noisy_classes(50, 120, 1, linear()));
  check_every_way(noisy_classes(50, 121, 1, polynomial(1, 1, 2)));
  check_every_way(noisy_classes(50, 122, 1, sum(rbf(1), laplacian(0.5))));
}

TEST(solver_of_an_indefinite_kernel_ends_where_no_pair_can_gain) {
  // The last two have a negative diagonal, the last one negative curvature everywhere.
  for (const Kernel& kernel : {sigmoid(0.5, 0.5), sigmoid(0.5, -2), product(constant(-1), rbf(1))}) {
    const Problem problem = noisy_classes(50, 123, 1, kernel);
    for (SolverOptions options : {whole(1e-6), tiny_sets(1e-6)}) {
      options.screening = false;  // it takes a feature space for granted
      check_solved(problem, solved(problem, *problem.computed(), options), 1e-6);
    }
  }
}

TEST(solver_takes_working_sets_of_two) {
  const Problem problem = noisy_classes(30, 124, 1);
  SolverOptions options = tiny_sets(1e-6);
  options.working_set = options.largest_working_set = 2;
  check_solved(problem, solved(problem, *problem.computed(), options), 1e-6);
}

TEST(solver_in_float_agrees_with_double) {
  for (const unsigned seed : {130, 131}) {
    constexpr double tol = 1e-6;
    const Problem problem = noisy_classes(70, seed, 2);
    const double best = problem.objective(solved(problem, *problem.computed<double>(), whole(tight)).coef);
    for (const SolverOptions& options : {whole(tol), tiny_sets(tol)}) {
      const Solution solution = solved(problem, *problem.computed<float>(), options);
      check_solved(problem, solution, tol);
      CHECK_NEAR(problem.objective(solution.coef), best, tol * std::abs(best));
    }
  }
}

TEST(solver_starts_from_any_feasible_point) {
  for (const unsigned seed : {140, 141, 142}) {
    Problem problem = own_bounds(60, seed, 5);
    const double best = problem.objective(solved(problem, *problem.computed(), whole(tight)).coef);
    problem.start = some_feasible_point(problem, seed);
    for (const SolverOptions& options : {whole(tight), tiny_sets(tight)}) {
      const Solution solution = solved(problem, *problem.computed(), options);
      check_solved(problem, solution, tight);
      CHECK_NEAR(problem.objective(solution.coef), best, tight * std::abs(best));
    }
  }
}

TEST(solver_started_at_the_optimum_takes_no_step) {
  Problem problem = noisy_classes(60, 143, 5);
  problem.start = solved(problem, *problem.computed(), whole(tight)).coef;
  for (const SolverOptions& options : {whole(2 * tight), tiny_sets(2 * tight)}) {
    const Solution solution = solved(problem, *problem.computed(), options);
    CHECK(solution.status == Status::solved && solution.steps == 0);
    CHECK(solution.coef == problem.start);
  }
}

TEST(solver_keeps_the_sum_of_the_start) {
  Problem problem = noisy_classes(60, 144, 1);  // one class: no slope, all signs alike
  problem.label_all(1);
  std::ranges::fill(problem.slope, 0.0);
  for (std::size_t i = 0; i < 20; ++i) problem.start[i] = 1;
  check_every_way(problem);
}

TEST(solver_takes_rows_that_stand_for_two_variables) {
  // Regression: each row once with either sign.
  const Problem base = noisy_classes(40, 145, 1);
  Table twice = base.X;
  twice.rows = 80;
  twice.values.insert(twice.values.end(), base.X.values.begin(), base.X.values.end());
  std::vector<double> signs(80, 1.0);
  std::fill(signs.begin() + 40, signs.end(), -1.0);
  Problem problem(twice, rbf(2), signs, 3);
  for (std::size_t i = 0; i < 80; ++i) problem.slope[i] = std::sin(3 * base.X.values[2 * (i % 40)]) - 0.1 * signs[i];
  check_every_way(problem);
}

TEST(solver_maximises_the_margin_of_separable_data_without_upper_bounds) {
  for (const unsigned seed : {150, 151}) {
    Table X = random_table(40, 2, seed);
    std::vector<double> labels;
    for (Index i = 0; i < X.rows; ++i) {
      labels.push_back(i % 2 == 0 ? 1 : -1);
      X.row(i)[0] += 1.5 * labels.back();
    }
    const Problem problem(X, linear(), labels, infinity);
    check_every_way(problem);
    const std::vector<double> coef = solved(problem, *problem.computed(), whole(tight)).coef;
    // At the optimum |w|^2 = sum of |c|: the duality gap is zero.
    double total = 0;
    for (const double c : coef) total += std::abs(c);
    CHECK_NEAR(-2 * problem.objective(coef), total, 1e-7 * total);
  }
}

TEST(solver_lands_on_the_bounds_to_the_last_bit) {
  Random random(153);
  for (int again = 0; again < 200; ++again) {
    Problem problem(Table{2, 1, {0, 1}}, rbf(1), {1, -1}, 0);
    problem.upper[0] = 0.5 + 0.4 * random();
    problem.lower[1] = -0.5 - 0.4 * random();
    const double least = std::min(problem.upper[0], -problem.lower[1]), start = 0.05 * least * (random() + 1);
    problem.start = {start, -start};
    const Solution solution = solved(problem, *problem.computed(), whole(tight));
    // The sum of the start is kept to rounding, the nearer bound exactly.
    CHECK(solution.coef[0] == problem.upper[0] || solution.coef[1] == problem.lower[1]);
    CHECK(solution.status == Status::solved && solution.steps == 1 && problem.feasible(solution.coef));
  }
}

TEST(solver_takes_duplicates_with_opposite_signs_to_their_bounds) {
  const Table X{2, 2, {1, 2, 1, 2}};
  for (const SolverOptions& options : {whole(tight), tiny_sets(tight)}) {
    Problem problem(X, rbf(1), {1, -1}, 3);
    problem.bound(1, 2);
    const Solution solution = solved(problem, *problem.computed(), options);
    check_solved(problem, solution, tight);
    CHECK(solution.coef[0] == 2 && solution.coef[1] == -2);
  }
}

TEST(solver_of_a_constant_or_zero_kernel_goes_to_the_bounds) {
  const Table X = random_table(9, 2, 152);
  for (const double value : {0.0, 1.0}) {
    const Problem problem(X, constant(value), {1, 1, 1, -1, -1, -1, -1, -1, -1}, 2);
    for (const SolverOptions& options : {whole(tight), tiny_sets(tight)}) {
      const Solution solution = solved(problem, *problem.computed(), options);
      check_solved(problem, solution, tight);
      CHECK_NEAR(problem.objective(solution.coef), -12, 1e-9);
    }
  }
}

TEST(solver_goes_on_with_few_rows_within_the_steps_it_has) {
  const Problem problem = noisy_classes(60, 190, 2);
  SolverOptions rough = whole(0.1), further = whole(0.1);
  further.few_rows = 60;
  const Solution asked = solved(problem, *problem.stored(), rough);
  const Solution fine = solved(problem, *problem.stored(), further);
  CHECK(problem.violation(asked.coef) > 1e-3);
  CHECK(problem.violation(fine.coef) < 0.1 * problem.violation(asked.coef));
  CHECK(problem.feasible(fine.coef) && fine.steps > asked.steps && fine.steps <= asked.steps + 3 * 60);
  further.few_rows = 59;
  CHECK(solved(problem, *problem.stored(), further).coef == asked.coef);

  further.few_rows = 60;
  Stop stop(infinity, asked.steps + 2, nullptr);
  const Solution limited = solve<double>(problem.qp(), *problem.stored(), further, stop);
  CHECK(limited.status == Status::solved && limited.steps <= asked.steps + 2);
}
