// The one problem the core solves, as values.
//
//   min  1/2 c'Kc - s'c + sum e_i |c_i|   with  sum c = sum c0,  lo <= c <= hi,  where lo <= 0 <= hi and e >= 0.
//
// A coefficient c is a multiplier with the sign of its row. With two sums, those of the positive and of the negative
// coefficients are constant each.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "mercer/stop.hpp"

namespace mercer {

struct BoxQp {
  std::span<const double> linear;  // s: the linear term, negated
  std::span<const double> lower;   // lo, possibly infinite
  std::span<const double> upper;   // hi, possibly infinite
  std::span<const double> start;   // c0: feasible
  std::span<const double> kink{};  // e; none: zero
  bool two_sums = false;
  bool cold = false;   // of the start only the sums count
  Index held_out = 0;  // so many of the last rows are valued by a machine of the others first; of a cold start
};

struct SolverOptions {
  double tol = 1e-3;         // on the violation m(c) - M(c)
  double gap_tol = 0;        // on the relative duality gap; 0: not asked
  bool screening = true;     // leave rows alone that provably cannot violate; wrong where the kernel is indefinite
  bool verify = true;        // recompute the values of all rows in float64 before the end, not only those that decide
  Index first_sample = 512;  // rows of the smallest sample that is solved to start from
  Index working_set = 1024;  // rows solved at a time, and the most where many are free
  Index largest_working_set = 4096;
  Index whole_block = 4096;  // active sets up to this many rows are one block
  double unit = 1;           // how far values lie apart, about: what "near" means; 0: measured at the start
  double least_margin = 0;   // without upper bounds: stop as unbounded once the margin is proved to be below this
                             // times the largest feature norm
  bool record = false;       // keep the coefficients after every round
  Index most_steps = std::numeric_limits<Index>::max();  // after work for so many it counts as stalled
  Index few_rows = 0;  // problems of no more rows are solved further than to tol, for little
};

// Where the time of a solve went, in seconds.
struct Seconds {
  double blocks = 0;    // kernel values among the rows that are solved together
  double steps = 0;     // steps on them
  double products = 0;  // bringing the other active rows up to date
  double resting = 0;   // evaluating the rows that are not active
  double exact = 0;     // comparing with float64
};

// The coefficients after a round, how many steps and rows it took to get there.
struct Round {
  Index steps = 0;
  Index active_rows = 0;
  std::vector<double> coef;
};

// What the machine of the other rows makes of those that were held out: s - Kc of each, and where that of its free rows
// lies, which is its offset, for each sum.
struct HeldOut {
  std::vector<double> values;
  std::array<double, 2> offsets{0, 0};
};

struct Solution {
  std::vector<double> coef;
  double violation = std::numeric_limits<double>::infinity();  // of all rows, when last looked at
  Index steps = 0;
  Status status = Status::solved;
  Seconds seconds;
  std::vector<Round> rounds;  // where they are to be recorded
  HeldOut held_out;           // none where it was not asked for, or where the machine of the others was not reached
};

}  // namespace mercer
