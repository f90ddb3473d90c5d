// Rows of a linear problem with their losses (linear_problem.hpp), in arrays side by side, and the loops over them. As
// those of simd.hpp these are compiled once per instruction set and chosen at run time.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/view.hpp"

namespace mercer {

// Consecutive rows. Where the loss is smooth, the coefficient at a value f is clip(soft(weight (slope - f))); else that
// of its envelope around the centre, with `scale` times the weight.
struct LossRows {
  const double *slope, *lower, *upper, *kink;
  const double* weight;  // in Newton's matrix, but for the scale
  double *centre, *coef, *value;
  double* change;  // of the value along a step; after it, how far a row that rests at a bound is from leaving it
  const double* norm;
  Index count;
};

// The first and second derivative of the envelopes along a step, as far as the rows make it change.
struct LossSlope {
  double first = 0, second = 0;
  LossSlope operator+(const LossSlope& other) const { return {first + other.first, second + other.second}; }
};

// Where the method stands, summed over rows. Of rows that may become inactive only `dual` and `size` are told: the rest
// is zero.
struct LossStanding {
  double gap = 0;                     // the share of the rows in the duality gap
  double dual = 0;                    // that in the dual objective
  double size = 0;                    // sum |coef|
  double gain_up = 0, gain_down = 0;  // the most that a larger and a smaller coefficient would gain

  void take(const LossStanding& other) {
    gap += other.gap;
    dual += other.dual;
    size += other.size;
    gain_up = std::max(gain_up, other.gain_up);
    gain_down = std::max(gain_down, other.gain_down);
  }
};

// What became of a row when its value moved, as bits.
enum LossEvent : std::uint8_t {
  sum_changed = 1,     // `by` is not zero
  began_to_move = 2,   // between its bounds, with the value
  ceased_to_move = 4,  // at a bound, or at the kink
  may_sleep = 8,       // cannot change before w has gone farther than the horizon
};

struct LossMove {
  double scale = 1;
  bool is_smooth = false;
  double t = 0;          // how far along the change
  double horizon = 0;    // how far w may go before inactive rows are looked at
  bool follows = false;  // whether the Gram matrix tells what rows do that keep moving
};

struct LossOps {
  // Coefficients at the values, and first, where asked for, centres: at the bounds for rows that are out of a `band`
  // times as wide as the envelopes, else in the middle.
  void (*begin)(const LossRows& rows, double scale, bool sets_centres, double band);
  LossSlope (*slope)(const LossRows& rows, double scale, double t);
  // Moves values and coefficients. by[i] is what the coefficient changed by, beyond what the Gram matrix tells.
  void (*settle)(const LossRows& rows, const LossMove& move, LossStanding& active, LossStanding& inactive, double* by,
                 std::uint8_t* events);
};

// The table in use, that of the level in simd.hpp.
const LossOps& loss_ops();

}  // namespace mercer
