// How old values are, and what brings them up to date.
#include "check.hpp"
#include "solver/contribution.hpp"
#include "solver/round_history.hpp"

using namespace mercer;

TEST(contribution_is_of_the_coefficients_that_are_not_zero) {
  const Contribution found = contribution_of({0, 2, 0, -3});
  CHECK(found.rows == (std::vector<Index>{1, 3}) && found.coef == (std::vector<double>{-2, 3}));
  CHECK(contribution_of({}).rows.empty());
}

TEST(contribution_of_a_change_is_of_the_coefficients_that_changed) {
  const Contribution found = contribution_of_change({1, 2, 0}, {1, 0, 5});
  CHECK(found.rows == (std::vector<Index>{1, 2}) && found.coef == (std::vector<double>{2, -5}));
}

TEST(round_history_tells_how_old_values_are) {
  RoundHistory history(3);
  CHECK(history.is_current(0) && history.rounds_known() == 0);
  history.add({1, 0, 0}, 0.5);
  history.mark_current({1});
  history.add({2, 0, 0}, 0.25);
  history.mark_current({2});
  CHECK(history.rounds_since(0) == 2 && history.path_since(0) == 0.75 && !history.is_current(0));
  CHECK(history.rounds_since(1) == 1 && history.path_since(1) == 0.25 && !history.is_current(1));
  CHECK(history.rounds_since(2) == 0 && history.path_since(2) == 0 && history.is_current(2));
}

TEST(round_history_knows_the_coefficients_of_the_last_rounds) {
  RoundHistory history(1);
  history.amend({9});  // before any round there is none to amend
  CHECK(history.rounds_known() == 0);
  for (Index round = 1; round <= remembered_rounds + 2; ++round) history.add({static_cast<double>(round)}, 1);
  CHECK(history.rounds_known() == remembered_rounds);
  for (Index ago = 0; ago < remembered_rounds; ++ago)
    CHECK(history.coef_before(ago)[0] == static_cast<double>(remembered_rounds + 2 - ago));
  history.amend({-1});
  CHECK(history.coef_before(0)[0] == -1 && history.coef_before(1)[0] == static_cast<double>(remembered_rounds + 1));
}
