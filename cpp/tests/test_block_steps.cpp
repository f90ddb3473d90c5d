// Steps on a block, as many as it takes: pairs, Newton steps where those are too many, none where doubt forbids it.
#include "check.hpp"
#include "solver/block_steps.hpp"
#include "solver/margin.hpp"
#include "state_of_problem.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

Block<double> block_of(const Problem& problem) { return {problem.K.values.data(), problem.size()}; }

// Smooth kernels and large bounds: pairs alone take long.
Problem ill_conditioned() { return noisy_classes(60, 620, 1e6, rbf(0.02)); }

}  // namespace

TEST(block_steps_reach_the_tolerance) {
  const Problem problem = noisy_classes(60, 621, 10);
  for (const bool is_doubtful : {false, true}) {
    State state = state_of(problem);
    Stop stop;
    CHECK(descend_in_block(state, block_of(problem), 1e-3, is_doubtful, stop) > 0);
    CHECK(extremes(state).violation() <= 1e-3 && problem.feasible(state.coef));
  }
}

TEST(block_steps_take_newton_steps_after_many_pairs) {
  const Problem problem = ill_conditioned();
  State by_pairs = state_of(problem), by_both = state_of(problem);
  Stop stop;
  const Index steps = descend_in_block(by_both, block_of(problem), 1e-9, false, stop);
  CHECK(descend_by_pairs(by_pairs, PairSteps<double>{block_of(problem), 1e-9, steps}, stop) == steps);
  CHECK(problem.objective(by_both.coef) < problem.objective(by_pairs.coef));
  CHECK(problem.feasible(by_both.coef));
}

TEST(block_steps_of_doubtful_values_are_few) {
  const Problem problem = ill_conditioned();
  State state = state_of(problem);
  Stop stop;
  Status status = Status::solved;
  try {
    descend_in_block(state, block_of(problem), 1e-9, true, stop);
  } catch (const Stopped& stopped) {
    status = stopped.status;
  }
  CHECK(status == Status::stalled && problem.feasible(state.coef));
}

TEST(block_steps_keep_to_the_step_limit) {
  const Problem problem = noisy_classes(60, 622, 10);
  State state = state_of(problem);
  Stop stop(infinity, 7, nullptr);
  CHECK(descend_in_block(state, block_of(problem), 1e-9, false, stop) == 7);
}

TEST(margin_is_bounded_by_a_feasible_point) {
  // One positive and one negative row at distance 2, each with weight 1/2: |w| = 1, so the margin is at most 1.
  State state = state_of(Problem(Table{2, 1, {-1, 1}}, linear(), {-1, 1}, infinity));
  CHECK(!is_margin_below(10, 1, state));  // nothing is proved by no weight
  state.coef = {-0.5, 0.5};
  state.neg_grad = {0, 0};
  CHECK(is_margin_below(1.01, 1, state) && !is_margin_below(0.99, 1, state));
  CHECK(is_margin_below(0.51, 4, state) && !is_margin_below(0.49, 4, state));
}
