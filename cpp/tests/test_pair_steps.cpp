// Two-variable steps on a block: they reach the tolerance by the block's own values, at any size of the numbers.
#include "check.hpp"
#include "solver/pair_steps.hpp"
#include "state_of_problem.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// The violation by the block's own values, computed anew.
template <class T>
double true_violation(State state, const OwnBlock<T>& own) {
  std::vector<double> values;
  for (Index i = 0; i < state.size(); ++i) values.push_back(own.value(state, i));
  state.neg_grad = values;
  return extremes(state).violation();
}

}  // namespace

// Float steps round; far below their rounding at the start the values must have been taken anew in between.
TEST(pair_steps_reach_tolerances_far_below_the_rounding_of_the_block) {
  const auto check = [](auto type) {
    using T = decltype(type);
    for (const double C : {1.0, 100.0})
      for (const double tol : {0.1, 1e-3, 1e-6, 1e-9}) {
        const Problem problem = noisy_classes(60, 300, C);
        const OwnBlock<T> own(problem);
        State state = state_of(problem);
        Stop stop;
        const Index steps = descend_by_pairs(state, PairSteps<T>{own.block(), tol, 1'000'000}, stop);
        CHECK(steps > 0 && steps < 1'000'000);
        CHECK(true_violation(state, own) <= 1.05 * tol);
        CHECK(problem.feasible(state.coef));
        for (Index i = 0; i < 60; ++i) CHECK_NEAR(state.neg_grad[at(i)], own.value(state, i), 0.05 * tol);
      }
  };
  check(float{});
  check(double{});
}

// Numbers that are all larger or smaller by one factor: the same steps.
TEST(pair_steps_do_not_mind_the_size_of_the_numbers) {
  const auto run = [](double factor) {
    Problem problem = noisy_classes(60, 301, factor);
    for (double& slope : problem.slope) slope *= factor;
    const OwnBlock<float> own(problem);
    State state = state_of(problem);
    Stop stop;
    const Index steps = descend_by_pairs(state, PairSteps<float>{own.block(), 1e-4 * factor, 1'000'000}, stop);
    CHECK(true_violation(state, own) <= 1.05e-4 * factor);
    return steps;
  };
  const Index steps = run(1);
  for (const double factor : {0x1p-100, 0x1p-30, 0x1p40, 0x1p100}) CHECK(run(factor) == steps);
}

TEST(pair_steps_take_no_more_than_they_may) {
  const Problem problem = noisy_classes(60, 302, 10);
  const OwnBlock<float> own(problem);
  Stop stop;
  for (const Index most : {0, 1, 17}) {
    State state = state_of(problem);
    CHECK(descend_by_pairs(state, PairSteps<float>{own.block(), 1e-6, most}, stop) == most);
    for (Index i = 0; i < 60; ++i) CHECK_NEAR(state.neg_grad[at(i)], own.value(state, i), 1e-5);
  }
}

TEST(pair_steps_of_one_sign_are_none) {
  Problem problem = noisy_classes(20, 303, 1);
  problem.label_all(1);
  const OwnBlock<float> own(problem);
  State state = state_of(problem);
  Stop stop;
  CHECK(descend_by_pairs(state, PairSteps<float>{own.block(), 1e-3, 100}, stop) == 0);
}
