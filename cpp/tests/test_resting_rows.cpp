// Rows that are not active: their values follow the coefficients, by the cheapest way that is right.
#include "check.hpp"
#include "solver/resting_rows.hpp"
#include "state_of_problem.hpp"
#include "watched_gram.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// Rows of a problem, and what they ask of its Gram matrix.
struct Watched {
  explicit Watched(const Problem& of)
      : problem(of),
        gram(problem.stored(),
             [this](Asked what, Index targets) { (what == Asked::exact_products ? exact : products) += targets; }),
        rows(state_of(problem), gram, stop) {}
  Watched(const Watched&) = delete;

  // What the values of rows should be.
  double value(Index i) const { return at(problem.slope, i) - problem.product(rows.coef(), i); }
  // A round that gives coefficients to some rows.
  void settle(const std::vector<Index>& active, const std::vector<double>& coef) {
    const std::vector<double> before = rows.coef();
    State state = rows.up_to_date(active);
    state.coef = coef;
    std::vector<double> now = before;
    for (std::size_t k = 0; k < active.size(); ++k) at(now, active[k]) = coef[k];
    for (std::size_t k = 0; k < active.size(); ++k)
      state.neg_grad[k] = at(problem.slope, active[k]) - problem.product(now, active[k]);
    rows.settle(active, state);
  }
  Problem problem;
  Stop stop;
  Index products = 0, exact = 0;  // rows that were asked for
  WatchedGram<double> gram;
  RestingRows<double> rows;
};

std::vector<bool> flags(Index n, const std::vector<Index>& set) {
  std::vector<bool> found(at(n), false);
  for (const Index i : set) at(found, i) = true;
  return found;
}

// What leaves no row out.
constexpr Screening everyone{false, 1, {{0, 0}, {0, 0}}, {0, 0}};

// The violation from the naive matrix, of the first rows.
double true_violation(const Watched& watched, Index known) {
  double top = -infinity, bottom = infinity;
  for (Index i = 0; i < known; ++i) {
    const double value = watched.value(i), coef = at(watched.rows.coef(), i);
    if (coef < at(watched.problem.upper, i)) top = std::max(top, value);
    if (coef > at(watched.problem.lower, i)) bottom = std::min(bottom, value);
  }
  return top - bottom;
}

// Coefficients for the first rows that are feasible but for the sum.
std::vector<double> half_bounds(const Problem& problem, const std::vector<Index>& rows) {
  std::vector<double> coef;
  for (const Index i : rows) coef.push_back(0.5 * (at(problem.lower, i) + at(problem.upper, i)));
  return coef;
}

}  // namespace

TEST(resting_rows_are_known_after_they_were_admitted) {
  Watched watched(noisy_classes(40, 700, 1));
  CHECK(watched.rows.size() == 40 && watched.rows.known() == 0);
  CHECK(watched.rows.extremes().violation() == -infinity);
  watched.rows.admit(10);
  CHECK(watched.rows.known() == 10 && watched.products == 10);
  CHECK_NEAR(watched.rows.extremes().violation(), true_violation(watched, 10), 1e-14);
  watched.rows.admit(40);
  CHECK(watched.rows.known() == 40 && watched.products == 40);
  CHECK_NEAR(watched.rows.extremes().violation(), 2, 1e-14);  // labels of either sign
}

TEST(resting_rows_follow_the_rounds) {
  Watched watched(noisy_classes(40, 701, 2));
  watched.rows.admit(40);
  for (Index round = 0; round < 2 * remembered_rounds; ++round) {
    const std::vector<Index> active{round, round + 1, round + 2};
    std::vector<double> coef = half_bounds(watched.problem, active);
    for (double& c : coef) c *= 1 + 0.01 * static_cast<double>(round);
    watched.settle(active, coef);
    for (std::size_t k = 0; k < active.size(); ++k) CHECK(at(watched.rows.coef(), active[k]) == coef[k]);
    watched.rows.refresh(flags(40, active), everyone);
    CHECK_NEAR(watched.rows.extremes().violation(), true_violation(watched, 40), 1e-13);
  }
}

// Rows are left alone by one refresh in three, and catch up with all that changed since.
TEST(resting_rows_that_were_left_alone_catch_up) {
  Watched watched(noisy_classes(40, 702, 2));
  watched.rows.admit(40);
  std::vector<bool> left_alone(40, true);
  for (Index round = 0; round < 3 * remembered_rounds; ++round) {
    const std::vector<Index> active{round % 37, round % 37 + 1};
    watched.settle(active, half_bounds(watched.problem, active));
    const bool refreshes = round % 3 == 2 || round > 2 * remembered_rounds;
    watched.rows.refresh(refreshes ? flags(40, active) : left_alone, everyone);
    if (refreshes) CHECK_NEAR(watched.rows.extremes().violation(), true_violation(watched, 40), 1e-13);
  }
  // Longer than is remembered: they are computed anew.
  for (Index round = 0; round < remembered_rounds + 3; ++round)
    watched.settle({round}, {0.25 * (at(watched.problem.lower, round) + at(watched.problem.upper, round))});
  watched.rows.refresh(flags(40, {}), everyone);
  CHECK_NEAR(watched.rows.extremes().violation(), true_violation(watched, 40), 1e-13);
}

TEST(resting_rows_that_cannot_violate_are_left_alone) {
  Watched watched(noisy_classes(40, 703, 1));
  watched.rows.admit(40);
  const std::vector<Index> active{0, 1, 2};
  watched.settle(active, half_bounds(watched.problem, active));
  const Index before = watched.products;
  // No value comes near to where rows violate.
  const Extremes far{{-1e3, -1e3}, {1e3, 1e3}};
  watched.rows.refresh(flags(40, active), {true, 1, far, {1e3, 1e3}});
  Index low = 0;
  for (Index i = 3; i < 40; ++i) low += at(watched.problem.lower, i) < at(watched.rows.coef(), i);
  CHECK(watched.products - before == low);  // of these the values lie below the pivot
  watched.rows.refresh(flags(40, active), {true, 1, {{1e3, 1e3}, {-1e3, -1e3}}, {0, 0}});
  CHECK(watched.products - before == 37);  // all may violate now
}

// A safe bound leaves out no row that violates.
TEST(resting_rows_are_screened_safely) {
  for (const unsigned seed : {704, 705, 706}) {
    Watched watched(noisy_classes(60, seed, 1));
    watched.rows.admit(60);
    for (Index round = 0; round < 6; ++round) {
      const std::vector<Index> active{5 * round, 5 * round + 1, 5 * round + 2};
      watched.settle(active, half_bounds(watched.problem, active));
      const State state = watched.rows.up_to_date(active);
      watched.rows.refresh(flags(60, active), {true, 1, extremes(state), middle(state)});
      if (true_violation(watched, 60) > 0)
        CHECK_NEAR(watched.rows.extremes().violation(), true_violation(watched, 60), 1e-13);
    }
  }
}

TEST(resting_rows_become_active_with_values_up_to_date) {
  Watched watched(noisy_classes(40, 707, 1));
  watched.rows.admit(40);
  watched.settle({0, 1}, half_bounds(watched.problem, {0, 1}));
  const Index before = watched.products;
  const State state = watched.rows.up_to_date({0, 7, 9});
  CHECK(watched.products - before == 2);  // row 0 came back with its value
  CHECK_NEAR(state.neg_grad[0], watched.value(0), 1e-14);
  CHECK_NEAR(state.neg_grad[1], watched.value(7), 1e-14);
  CHECK_NEAR(state.neg_grad[2], watched.value(9), 1e-14);
  CHECK(state.coef[0] == watched.rows.coef()[0] && state.coef[1] == 0);
}

TEST(resting_rows_tell_who_violates) {
  Watched watched(noisy_classes(40, 708, 1));
  watched.rows.admit(40);
  // Without weight every value is its label, and every row violates at the pivot zero.
  CHECK(watched.rows.count_violators({0, 0}, 0.5) == 40);
  CHECK(watched.rows.count_violators({0, 0}, 1.5) == 0);
  CHECK(length(watched.rows.near_violating({0, 0}, 0.1)) == 40);
  CHECK(length(watched.rows.choose(std::vector<bool>(40, false), {{0, 0}, 0.1, 4})) <= 6);
  CHECK(length(watched.rows.choose(std::vector<bool>(40, false), {{0, 0}, 0.1, 4, 41})) == 40);
  CHECK_NEAR(watched.rows.objective().dual, 0, 1e-15);
}

TEST(resting_rows_take_exact_values_and_tell_the_error) {
  const Problem problem = noisy_classes(40, 709, 5);
  Stop stop;
  const auto gram = problem.computed<float>();
  RestingRows<float> rows(state_of(problem), *gram, stop);
  const std::vector<Index> all = count_up_to(40);
  rows.take_coef(all, some_feasible_point(problem, 1));
  rows.admit(40);
  const double error = rows.evaluate_exactly(all);
  CHECK(error > 0 && error < 1e-4);
  CHECK(rows.evaluate_exactly(all) == 0);
  CHECK_NEAR(rows.extremes().violation(), problem.violation(rows.coef()), 1e-12);
  CHECK(rows.evaluate_exactly({}) == 0);
}

TEST(resting_rows_are_given_the_sums_of_a_cold_start) {
  Problem problem = noisy_classes(40, 710, 1);
  problem.label_all(1);
  for (std::size_t i = 0; i < 20; ++i) problem.start[i] = 1;
  State state = state_of(problem);
  const Start start(state, true);
  Stop stop;
  const auto gram = problem.stored();
  RestingRows<double> rows(std::move(state), *gram, stop);
  rows.admit(20);
  CHECK(rows.give_sums(start, 20, 1));
  double total = 0;
  for (const double c : rows.coef()) total += c;
  CHECK_NEAR(total, 10, 1e-12);
  rows.evaluate_all();
  rows.admit(40);
  CHECK(rows.give_sums(start, 40, 1) && !rows.give_sums(start, 40, 1));
  rows.evaluate_all();
  CHECK(problem.feasible(rows.coef()));
  CHECK_NEAR(rows.extremes().violation(), problem.violation(rows.coef()), 1e-13);
}

TEST(resting_rows_have_a_spread_of_values) {
  Watched watched(noisy_classes(40, 711, 1));
  CHECK(watched.rows.spread() == 1);  // no row is known
  watched.rows.admit(40);
  double mean = 0, squares = 0;
  for (const double label : watched.problem.slope) mean += label / 40;
  for (const double label : watched.problem.slope) squares += (label - mean) * (label - mean);
  CHECK_NEAR(watched.rows.spread(), std::sqrt(squares / 40), 1e-14);
}
