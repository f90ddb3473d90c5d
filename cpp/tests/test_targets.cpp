// How well each part is solved: never better than needed, never so well that work is done twice.
#include "check.hpp"
#include "solver/targets.hpp"
#include "solver/timed.hpp"

using namespace mercer;

TEST(targets_of_samples_are_rough_but_no_finer_than_the_tolerance) {
  CHECK(sample_target(1, 1e-3) > 0.1 && sample_target(10, 1e-3) == 10 * sample_target(1, 1e-3));
  CHECK(sample_target(1, 5) == 5);
  CHECK(are_few(0, 10) && are_few(1, 100) && !are_few(3, 100) && !are_few(0, 0));
}

TEST(targets_of_active_rows_leave_room_for_the_others) {
  CHECK(active_target({1e-3, 1e-2, false, true}) == 1e-2);
  CHECK(active_target({1e-3, 1e-2, false, false}) < 1e-2);
  CHECK(active_target({1, 1e-2, true, false}) > active_target({1, 1e-2, false, false}));
  CHECK(active_target({1, 1e-2, false, true}) < 1);
}

TEST(targets_of_working_sets_are_a_share_of_their_violation_or_below_the_target) {
  CHECK(working_set_target(1, 1e-3) < 0.1 && working_set_target(1, 1e-3) > 1e-3);
  CHECK(working_set_target(1e-2, 1e-2) < 1e-2);
}

TEST(timed_adds_the_time_of_its_scope) {
  double seconds = 1;
  {
    const Timed timed(seconds);
  }
  CHECK(seconds >= 1 && seconds < 2);
}
