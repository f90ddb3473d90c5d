// Where the method of multipliers stands, and how far that is from the optimum.
#pragma once

#include "mercer/losses.hpp"
#include "penalty.hpp"

namespace mercer {

struct Iterate {
  SquaredPenalty penalty;
  std::vector<double> w;
  std::vector<double> v;              // sum coef x, which equals w at the optimum
  double rounding = 0;                // how far v may be off by now
  double largest_norm = 0;            // of the rows
  LossStanding active{}, inactive{};  // totals of the rows

  std::vector<double> gradient() const;  // of the envelopes' objective
  double primal() const;
  // What the duality gap consists of: the envelopes, and the gradient.
  double gap() const { return active.gap + gap_of_gradient(); }
  double gap_of_gradient() const;
  // By how much the sums of the coefficients miss what free offsets ask for, as a share of their sizes.
  double imbalance() const;
  // Of the optimality conditions of w, and how far the values of the machine sum coef x can be from those of w.
  double violation() const { return active.gain_up + active.gain_down; }
  double drift() const;

  // Whether gap and violation are within their tolerances.
  bool is_optimal(const LinearOptions& options) const;
  // Whether w is so near the minimum of the envelopes' objective that only other envelopes would lead further.
  bool is_at_minimum(const LinearOptions& options) const;
  // Whether rounding takes next to nothing of the tolerance.
  bool is_exact(const LinearOptions& options) const;
};

}  // namespace mercer
