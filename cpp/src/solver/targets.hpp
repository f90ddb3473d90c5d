// To which violation each part of a problem is solved, before what it changes is brought to the rows around it.
#pragma once

#include "state.hpp"

namespace mercer {

// Samples are where the next one starts, so they are solved roughly: to this violation, where values lie `unit` apart.
double sample_target(double unit, double tol);
// And no further than until the rows that violate more are few beside the active ones.
bool are_few(Index violators, Index active_rows);

// What a round begins with.
struct RoundStart {
  double violation;    // of the known rows
  double target;       // for them
  bool is_sample;      // more rows will be known
  bool is_all_active;  // no row is left that is not active
};
// The violation to which the active rows are solved in it.
double active_target(const RoundStart& round);

// The violation to which a machine is solved whose values are looked at beside its margin: half the distance of the
// pivots, which are one on either side of it.
double margin_target(const Sums& pivots, double tol);

// Few rows are solved on to this violation, where values lie `unit` apart, within so many steps.
double fine_target(double unit);
Index fine_steps(Index rows);

// The violation to which a working set is solved, of active rows that have a violation and a target.
double working_set_target(double violation, double target);

}  // namespace mercer
