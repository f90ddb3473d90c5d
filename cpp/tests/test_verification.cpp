// Whether values are exact enough and the solver is done: what is compared with float64, and when.
#include "check.hpp"
#include "solver/verification.hpp"
#include "state_of_problem.hpp"
#include "watched_gram.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// All rows of a problem at given coefficients, with values from kernel values in T.
template <class T>
struct Watched {
  Watched(const Problem& of, const std::vector<double>& coef)
      : problem(of),
        gram(problem.computed<T>(),
             [this](Asked what, Index targets) { exact += what == Asked::exact_products ? targets : 0; }),
        rows(state_of(problem), gram, stop) {
    rows.take_coef(count_up_to(problem.size()), coef);
    rows.admit(problem.size());
  }
  Watched(const Watched&) = delete;

  Problem problem;
  Stop stop;
  Index exact = 0;  // rows whose float64 values were asked for
  WatchedGram<T> gram;
  RestingRows<T> rows;
};

SolverOptions unverified(double tol) {
  SolverOptions options = whole(tol);
  options.verify = false;
  return options;
}

std::vector<double> optimum(const Problem& problem, double tol) {
  return solved(problem, *problem.computed(), whole(tol)).coef;
}

constexpr Scale scale{{0, 0}, 1, 1};

}  // namespace

TEST(verification_looks_at_all_rows_where_asked) {
  const Problem problem = noisy_classes(100, 740, 5);
  SolverOptions with_gap = unverified(1e-3);
  with_gap.gap_tol = 1e-3;
  for (const SolverOptions& options : {whole(1e-3), with_gap}) {
    Watched<float> watched(problem, optimum(problem, 1e-4));
    const double violation = Verification<float>(options).verify(watched.rows, scale);
    CHECK(watched.exact == 100);
    CHECK_NEAR(violation, problem.violation(watched.rows.coef()), 1e-12);
  }
}

TEST(verification_looks_at_no_row_where_rounding_is_negligible) {
  const Problem problem = noisy_classes(100, 741, 5);
  Watched<float> watched(problem, optimum(problem, 1e-3));
  const double violation = Verification<float>(unverified(0.1)).verify(watched.rows, scale);
  CHECK(watched.exact == 0 && violation == watched.rows.extremes().violation());
}

TEST(verification_probes_some_rows_where_rounding_may_be_felt) {
  const Problem problem = noisy_classes(300, 742, 5, rbf(30));
  const std::vector<double> coef = optimum(problem, 1e-9);
  Watched<float> probed(problem, coef), refined(problem, coef);
  // Far within the tolerance, so the probe is enough.
  Verification<float>(unverified(5e-4)).verify(probed.rows, scale);
  CHECK(probed.exact == 64);
  // Finer than float: all rows that decide take the exact values.
  const double violation = Verification<float>(unverified(1e-8)).verify(refined.rows, scale);
  CHECK(refined.exact > 150);
  CHECK_NEAR(violation, problem.violation(coef), 1e-9);
}

TEST(verification_wants_the_rounding_of_float_measured_where_it_is_above_the_target) {
  const Problem problem = noisy_classes(100, 743, 1e4);
  const std::vector<double> coef = optimum(problem, 1e-3);
  Watched<float> single(problem, coef);
  Watched<double> twice(problem, coef);
  const auto rounding = Verification<float>(unverified(1e-3)).rounding_to_measure(single.rows, scale);
  CHECK(rounding && *rounding > 1e-3);
  CHECK(!Verification<float>(unverified(2 * rounding.value_or(0))).rounding_to_measure(single.rows, scale));
  CHECK(!Verification<double>(unverified(1e-3)).rounding_to_measure(twice.rows, scale));
  SolverOptions with_gap = unverified(1e-3);
  with_gap.gap_tol = 1e-3;
  CHECK(!Verification<float>(with_gap).rounding_to_measure(single.rows, scale));
}

TEST(verification_doubts_kernel_values_that_are_off_by_more_than_the_tolerance) {
  const Problem problem = noisy_classes(100, 744, 1e4);
  const std::vector<double> coef = optimum(problem, 1e-3);
  Watched<float> fine(problem, coef), rough(problem, coef);
  CHECK(Verification<float>(unverified(1e-7)).finds_doubt(fine.rows, scale));
  CHECK(!Verification<float>(unverified(1)).finds_doubt(rough.rows, scale));
  CHECK(fine.exact > 0 && fine.exact <= 100);
}

TEST(verification_is_satisfied_by_the_violation_and_the_gap) {
  const Problem problem = noisy_classes(60, 745, 5);
  const Watched<double> near(problem, optimum(problem, 1e-2)), best(problem, optimum(problem, 1e-10));
  const SolverOptions options = unverified(1e-2);
  const Verification<double> of_violation(options);
  CHECK(of_violation.is_satisfied(near.rows, 1e-2) && !of_violation.is_satisfied(near.rows, 1.1e-2));
  SolverOptions with_gap = unverified(1e-2);
  with_gap.gap_tol = 1e-7;
  CHECK(!Verification<double>(with_gap).is_satisfied(near.rows, 1e-2));
  CHECK(Verification<double>(with_gap).is_satisfied(best.rows, 1e-10));
}

TEST(verification_gives_up_where_the_violation_does_not_halve) {
  const SolverOptions options = whole(1e-3);
  Verification<double> verification(options);
  CHECK(verification.first_target() < 1e-3);
  CHECK(verification.next_target(1e-3, 0.1) == 0.5e-3);
  CHECK(verification.next_target(1e-3, 1e-5) == 0.5e-5);  // halved: progress
  CHECK(verification.next_target(1e-3, 1e-5) == 0.5e-5);
  CHECK(verification.next_target(1e-3, 0.9e-5) == 0.45e-5);
  CHECK_THROWS(Stopped, verification.next_target(1e-3, 0.8e-5));
}
