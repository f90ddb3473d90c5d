// Which rows are worked on, and which may rest.
#include "check.hpp"
#include "reference.hpp"
#include "solver/working_set.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// A third of the rows at either bound, a third free; values at random.
State random_state(Index n, unsigned seed) {
  Random random(seed);
  State state;
  state.values = random.vector(n);
  state.slope = random.vector(n);
  state.diagonal.assign(at(n), 1.0);
  state.lo.assign(at(n), -1.0);
  state.hi.assign(at(n), 1.0);
  for (Index i = 0; i < n; ++i) state.coef.push_back(static_cast<double>(i % 3 - 1) * (i % 6 < 3 ? 1 : -1));
  return state;
}

}  // namespace

TEST(working_set_holds_the_maximal_violating_pair) {
  for (const unsigned seed : {180, 181, 182, 183})
    for (const Index size : {2, 3, 4, 8, 29}) {
      const State state = random_state(30, seed);
      std::vector<Index> previous;
      for (int again = 0; again < 3; ++again) {
        const std::vector<Index> set = choose_working_set(state, previous, size);
        CHECK(static_cast<Index>(set.size()) == size);
        CHECK(std::ranges::is_sorted(set) && std::ranges::adjacent_find(set) == set.end());
        double top = -1e9, bottom = 1e9;
        for (const Index i : set) {
          if (state.up(i)) top = std::max(top, state.values[at(i)]);
          if (state.low(i)) bottom = std::min(bottom, state.values[at(i)]);
        }
        CHECK(top == extremes(state).top && bottom == extremes(state).bottom);
        previous.clear();
        for (Index i = 0; i < 30; ++i)
          if (!std::ranges::binary_search(set, i)) previous.push_back(i);
      }
    }
}

TEST(working_set_keeps_up_to_half_of_the_previous_one_free_rows_first) {
  const State state = random_state(30, 184);
  const std::vector<Index> previous{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::vector<Index> set = choose_working_set(state, previous, 8);
  for (const Index i : {1, 4, 7, 10}) CHECK(state.free(i) && std::ranges::binary_search(set, i));
}

TEST(working_set_no_larger_than_the_problem) {
  const State state = random_state(5, 185);
  CHECK(choose_working_set(state, {}, 100).size() <= 5);
}

TEST(rows_rest_only_at_a_bound_and_beyond_the_other_extreme) {
  for (const unsigned seed : {186, 187}) {
    const State state = random_state(60, seed);
    const std::vector<Index> moving = rows_that_may_move(state);
    const Extremes found = extremes(state);
    for (Index i = 0; i < 60; ++i) {
      const double value = state.values[at(i)];
      const bool rests = !state.free(i) && (state.up(i) ? value < found.bottom : value > found.top);
      CHECK(std::ranges::binary_search(moving, i) == !rests);
    }
  }
}

TEST(objective_has_no_gap_at_the_optimum_and_one_elsewhere) {
  // Two points at distance 2: c = (1/2, -1/2) is the optimum, with the values at the intercept.
  State state;
  state.coef = {0.5, -0.5};
  state.lo = {0, -3};
  state.hi = {3, 0};
  state.slope = {1, -1};
  state.values = {0.5, 0.5};
  CHECK_NEAR(objective(state).gap, 0, 1e-15);
  state.values = {1, 0};
  // Residuals of 1/2: (3 - 1/2) / 2 for each side, the room left.
  CHECK_NEAR(objective(state).gap, 2.5, 1e-15);
  CHECK_NEAR(objective(state).dual, 0.5 * (0.5 * 2 - 0.5 * -1), 1e-15);
  CHECK_NEAR(objective(state).squared_norm, 0.5 * 0 - 0.5 * -1, 1e-15);
}
