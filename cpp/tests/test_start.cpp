// Where a solve begins: a warm start is kept; of a cold one the sums are, which samples are given in shares.
#include "check.hpp"
#include "reference.hpp"
#include "solver/start.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// Coefficients between 0 and 1, of value 0, 1, 2, ...
State state_at(std::vector<double> coef) {
  State state;
  state.lo.assign(coef.size(), 0.0);
  state.hi.assign(coef.size(), 1.0);
  for (auto* field : {&state.linear, &state.kink, &state.diagonal}) field->assign(coef.size(), 0.0);
  for (std::size_t i = 0; i < coef.size(); ++i) state.neg_grad.push_back(static_cast<double>(i));
  state.coef = std::move(coef);
  return state;
}

}  // namespace

TEST(start_that_is_warm_is_kept) {
  State state = state_at({0.5, 0, 0.25, 0});
  const Start start(state, false);
  CHECK(!start.is_cold() && start.has_weight());
  CHECK(state.coef == (std::vector<double>{0.5, 0, 0.25, 0}));
  CHECK(!start.give_sums(state, 4, true) && state.coef[0] == 0.5);
}

TEST(start_at_zero_is_cold_and_asks_for_nothing) {
  State state = state_at({0, 0, 0});
  const Start start(state, false);
  CHECK(start.is_cold() && !start.has_weight());
  CHECK(!start.give_sums(state, 3, true) && state.coef == std::vector<double>(3, 0.0));
}

TEST(start_that_is_cold_gives_samples_their_share_and_the_whole_the_rest) {
  State state = state_at({1, 1, 0, 0});
  const Start start(state, true);
  CHECK(start.is_cold() && start.has_weight() && state.coef == std::vector<double>(4, 0.0));
  CHECK(start.give_sums(state, 2, true));  // half of the room: to the row that gains most
  CHECK(state.coef == (std::vector<double>{0, 1, 0, 0}));
  CHECK(!start.give_sums(state, 2, true));
  CHECK(start.give_sums(state, 4, true));
  CHECK(state.coef == (std::vector<double>{0, 1, 0, 1}));
}

TEST(start_gives_the_last_rows_where_values_tell_nothing) {
  State state = state_at({1, 1, 0, 0});
  const Start start(state, true);
  std::ranges::reverse(state.neg_grad);
  CHECK(start.give_sums(state, 4, false));
  CHECK(state.coef == (std::vector<double>{0, 0, 1, 1}));
}

// No row can take the negative sum, but for the one that had it.
TEST(start_is_taken_itself_where_its_sums_cannot_be_met) {
  State state = state_at({-0.5, 0, 0});
  state.lo[0] = -1;
  const std::vector<double> given = state.coef;
  const Start start(state, true);
  CHECK(start.give_sums(state, 3, true));
  CHECK(state.coef == given);
}
