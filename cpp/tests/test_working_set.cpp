// Which rows are worked on, and which may rest.
#include "check.hpp"
#include "reference.hpp"
#include "solver/working_set.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A third of the rows at either bound, a third free; values at random.
State random_state(Index n, unsigned seed) {
  Random random(seed);
  State state;
  state.neg_grad = random.vector(n);
  state.linear = random.vector(n);
  state.diagonal.assign(at(n), 1.0);
  state.kink.assign(at(n), 0.0);
  state.lo.assign(at(n), -1.0);
  state.hi.assign(at(n), 1.0);
  for (Index i = 0; i < n; ++i) state.coef.push_back(static_cast<double>(i % 3 - 1) * (i % 6 < 3 ? 1 : -1));
  return state;
}

// By how much a row at a bound violates the optimality conditions at a pivot.
double excess_of(const State& state, Index i, double pivot) {
  return state.up(i) ? state.neg_grad[at(i)] - pivot : pivot - state.neg_grad[at(i)];
}

struct ExtremeRows {
  Index top = -1, bottom = -1;
};
ExtremeRows extreme_rows(const State& state, Index known) {
  ExtremeRows found;
  for (Index i = 0; i < known; ++i) {
    if (state.up(i) && (found.top < 0 || state.neg_grad[at(i)] > state.neg_grad[at(found.top)])) found.top = i;
    if (state.low(i) && (found.bottom < 0 || state.neg_grad[at(i)] < state.neg_grad[at(found.bottom)]))
      found.bottom = i;
  }
  return found;
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
          if (state.up(i)) top = std::max(top, state.neg_grad[at(i)]);
          if (state.low(i)) bottom = std::min(bottom, state.neg_grad[at(i)]);
        }
        CHECK(top == extremes(state).top[0] && bottom == extremes(state).bottom[0]);
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

TEST(active_rows_are_the_free_ones_and_those_within_the_margin) {
  for (const unsigned seed : {186, 187})
    for (const double pivot : {-0.3, 0.0, 0.4})
      for (const double margin : {0.0, 0.1, 10.0})
        for (const bool before : {true, false}) {
          const State state = random_state(60, seed);
          const std::vector<Index> active =
              choose_active(state, 60, std::vector<bool>(60, before), {Sums{pivot, 0}, margin, 60});
          CHECK(std::ranges::is_sorted(active) && std::ranges::adjacent_find(active) == active.end());
          const auto [top, bottom] = extreme_rows(state, 60);
          for (Index i = 0; i < 60; ++i) {
            const double excess = excess_of(state, i, pivot);
            CHECK(std::ranges::binary_search(active, i) ==
                  (state.free(i) || excess >= -margin || i == top || i == bottom));
          }
        }
}

TEST(active_rows_come_in_the_worst_violators_first) {
  const State state = random_state(90, 188);
  std::vector<bool> before(90, false);
  for (std::size_t i = 0; i < 90; i += 2) before[i] = true;
  const auto [top, bottom] = extreme_rows(state, 90);
  for (const Index most_new : {0, 1, 2, 5, 1000}) {
    const std::vector<Index> active = choose_active(state, 90, before, {Sums{0, 0}, 0.3, most_new});
    CHECK(std::ranges::is_sorted(active) && std::ranges::adjacent_find(active) == active.end());
    CHECK(std::ranges::binary_search(active, top) && std::ranges::binary_search(active, bottom));
    // Free rows, and those that were active, are no newcomers.
    double least_taken = infinity, most_left = -infinity;
    Index taken = 0;
    for (Index i = 0; i < 90; ++i) {
      const bool chosen = std::ranges::binary_search(active, i), extreme = i == top || i == bottom;
      const double excess = excess_of(state, i, 0);
      if (state.free(i)) {
        CHECK(chosen);
      } else if (before[at(i)] || excess < -0.3) {
        CHECK(extreme || chosen == (excess >= -0.3));
      } else if (chosen && !extreme) {
        least_taken = std::min(least_taken, excess);
        ++taken;
      } else if (!chosen) {
        most_left = std::max(most_left, excess);
      }
    }
    CHECK(taken <= most_new && least_taken >= most_left);
    CHECK((most_left == -infinity) == (most_new == 1000));
    CHECK(taken >= std::min<Index>(most_new, 3) - 2);  // the pair may be two of them
  }
}

// The pivot can be anywhere, as after a first sample with one class only.
TEST(active_rows_hold_the_maximal_violating_pair_wherever_the_pivot_is) {
  for (const unsigned seed : {189, 190})
    for (const double pivot : {-100.0, 0.0, 100.0}) {
      State state = random_state(60, seed);
      for (Index i = 0; i < 60; ++i)
        if (state.free(i)) state.coef[at(i)] = i % 2 == 0 ? state.lo[at(i)] : state.hi[at(i)];
      const std::vector<Index> active =
          choose_active(state, 60, std::vector<bool>(60, false), {Sums{pivot, 0}, 0.1, 0});
      const auto [top, bottom] = extreme_rows(state, 60);
      CHECK(active == (std::vector<Index>{std::min(top, bottom), std::max(top, bottom)}));
    }
}

TEST(active_rows_are_known_and_can_move) {
  State state = random_state(60, 191);
  for (Index i = 0; i < 60; i += 4) state.coef[at(i)] = state.lo[at(i)] = state.hi[at(i)] = 0;
  for (const Index known : {0, 1, 2, 17, 60}) {
    const std::vector<Index> active = choose_active(state, known, std::vector<bool>(60, true), {Sums{0, 0}, 10, 60});
    std::vector<Index> expected;
    for (Index i = 0; i < known; ++i)
      if (i % 4 != 0) expected.push_back(i);
    CHECK(active == expected);
  }
}

TEST(extremes_are_of_the_known_rows) {
  const State state = random_state(30, 192);
  for (const Index known : {1, 2, 5, 30}) {
    double top = -infinity, bottom = infinity;
    for (Index i = 0; i < known; ++i) {
      if (state.up(i)) top = std::max(top, state.neg_grad[at(i)]);
      if (state.low(i)) bottom = std::min(bottom, state.neg_grad[at(i)]);
    }
    const Extremes found = extremes(state, known);
    CHECK(found.top[0] == top && found.bottom[0] == bottom && found.violation() == top - bottom);
  }
  CHECK(extremes(state).top[0] == extremes(state, 30).top[0]);
  CHECK(extremes(state, 0).violation() == -infinity);
}

TEST(middle_is_the_mean_of_the_free_values_or_between_the_extremes) {
  State state = random_state(30, 193);
  double sum = 0;
  for (Index i = 0; i < 30; ++i) sum += state.free(i) ? state.neg_grad[at(i)] : 0;
  CHECK_NEAR(middle(state)[0], sum / 10, 1e-15);
  for (Index i = 0; i < 30; ++i)
    if (state.free(i)) state.coef[at(i)] = state.lo[at(i)];
  CHECK(middle(state)[0] == 0.5 * (extremes(state).top[0] + extremes(state).bottom[0]));
}

TEST(objective_has_no_gap_at_the_optimum_and_one_elsewhere) {
  // Two points at distance 2: c = (1/2, -1/2) is the optimum, with the values at the intercept.
  State state;
  state.coef = {0.5, -0.5};
  state.lo = {0, -3};
  state.hi = {3, 0};
  state.linear = {1, -1};
  state.kink = {0, 0};
  state.neg_grad = {0.5, 0.5};
  CHECK_NEAR(objective(state).gap, 0, 1e-15);
  state.neg_grad = {1, 0};
  // Residuals of 1/2: (3 - 1/2) / 2 for each side, the room left.
  CHECK_NEAR(objective(state).gap, 2.5, 1e-15);
  CHECK_NEAR(objective(state).dual, 0.5 * (0.5 * 2 - 0.5 * -1), 1e-15);
  CHECK_NEAR(objective(state).squared_norm, 0.5 * 0 - 0.5 * -1, 1e-15);
}
