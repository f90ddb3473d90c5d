// Newton steps on the free variables: they keep the point feasible and its values true, and settle what pairs do not.
#include "check.hpp"
#include "solver/newton_steps.hpp"
#include "solver/pair_steps.hpp"
#include "state_of_problem.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

Block<double> block_of(const Problem& problem) { return {problem.K.values.data(), problem.size()}; }

double spread_of_free_values(const State& state) {
  double least = infinity, most = -infinity;
  for (Index i = 0; i < state.size(); ++i)
    if (state.free(i)) {
      least = std::min(least, state.neg_grad[at(i)]);
      most = std::max(most, state.neg_grad[at(i)]);
    }
  return most - least;
}

// Smooth kernels and large bounds: conditions that pairs are slow at.
Problem ill_conditioned(unsigned seed) { return noisy_classes(60, seed, 1e6, rbf(0.02)); }

}  // namespace

TEST(newton_steps_make_the_free_values_agree) {
  for (const unsigned seed : {210, 211}) {
    const Problem problem = noisy_classes(60, seed, 10);
    State state = state_of(problem);
    Stop stop;
    descend_by_pairs(state, PairSteps<double>{block_of(problem), 0.1, 1000}, stop);
    const double before = problem.objective(state.coef);
    CHECK(spread_of_free_values(state) > 1e-6);
    CHECK(descend_by_newton(state, block_of(problem), 1e-9, stop));
    CHECK(spread_of_free_values(state) <= 1e-9);
    CHECK(problem.feasible(state.coef));
    CHECK(problem.objective(state.coef) < before);
    for (Index i = 0; i < problem.size(); ++i)
      CHECK_NEAR(state.neg_grad[at(i)], problem.slope[at(i)] - problem.product(state.coef, i), 1e-11);
    CHECK(!descend_by_newton(state, block_of(problem), 1e-9, stop));
  }
}

// The same in float, with rows of the block further apart than they are long: values follow the matrix they are given.
TEST(newton_steps_in_float_make_the_free_values_agree) {
  const Problem problem = noisy_classes(60, 216, 10);
  const OwnBlock<float> own(problem);
  State state = state_of(problem);
  Stop stop;
  descend_by_pairs(state, PairSteps<float>{own.block(), 0.1, 1000}, stop);
  for (Index i = 0; i < 60; ++i) {
    CHECK_NEAR(state.neg_grad[at(i)], own.value(state, i), 1e-5);  // pairs round in float
    state.neg_grad[at(i)] = own.value(state, i);
  }
  CHECK(spread_of_free_values(state) > 1e-4);
  CHECK(descend_by_newton(state, own.block(), 1e-6, stop));
  CHECK(spread_of_free_values(state) <= 1e-6);
  CHECK(problem.feasible(state.coef));
  for (Index i = 0; i < 60; ++i) CHECK_NEAR(state.neg_grad[at(i)], own.value(state, i), 1e-11);
}

TEST(newton_steps_have_nothing_to_do_without_two_free_variables) {
  const Problem problem = noisy_classes(20, 212, 1);
  State state = state_of(problem);
  Stop stop;
  CHECK(!descend_by_newton(state, block_of(problem), 1e-9, stop));
  CHECK(state.coef == std::vector<double>(20, 0.0));
}

TEST(newton_steps_help_where_pairs_settle_slowly) {
  for (const unsigned seed : {213, 214}) {
    const Problem problem = ill_conditioned(seed);
    State pairs = state_of(problem);
    Stop stop;
    const Index alone = descend_by_pairs(pairs, PairSteps<double>{block_of(problem), 1e-6, 400'000}, stop);
    CHECK(alone > 20'000);
    CHECK(2 * solved(problem, *problem.computed(), whole(1e-6)).steps < alone);
    for (const SolverOptions& options : {whole(1e-6), tiny_sets(1e-6)}) {
      const Solution solution = solved(problem, *problem.computed(), options);
      CHECK(solution.status == Status::solved);
      CHECK(problem.feasible(solution.coef));
      CHECK(problem.violation(solution.coef) <= 1e-6 + 1e-8);
    }
  }
}

TEST(newton_steps_respect_the_step_limit) {
  Problem problem = ill_conditioned(215);
  problem.start = some_feasible_point(problem, 2);
  Stop stop(infinity, 0, nullptr);
  const Solution solution = solve<double>(problem.qp(), *problem.computed(), whole(1e-6), stop);
  CHECK(solution.status == Status::step_limit && solution.steps == 0);
  CHECK(solution.coef == problem.start);
}
