// Where coefficients stand with the optimality conditions of their box QPs, in one pass. It shares nothing with the
// solver: the products are the caller's.
#pragma once

#include <span>
#include <vector>

#include "mercer/view.hpp"

namespace mercer {

// Independent box QPs (see box_qp.hpp) whose rows stand one after the other.
struct Point {
  std::span<const double> slope, lower, upper;
  std::span<const double> kink;  // none: zero
  bool two_sums;
  std::span<const double> start;  // has the sums that coefficients must have
  std::span<const double> coef;
  std::span<const double> products;  // K c, each problem's with its own c
  std::span<const Index> starts;     // the first row of each problem
  double at_bound;                   // a coefficient within this share of its bound is at it
};

// One number a sum and problem, the problems of the first sum before those of the second; `size` has one a problem.
struct Standing {
  std::vector<double> least, largest;  // the multipliers of the sum that the conditions allow: up rows ask for no
                                       // less, low rows for no more
  std::vector<double> best;            // the mean of the free rows, or the middle of these
  std::vector<double> size;            // the sum of the magnitudes of the coefficients
  bool inside;                         // all coefficients are numbers within their bounds
  double imbalance;                    // how far a sum is off at most
  double largest_slope, largest_bound;
};

Standing standing(const Point& point);

}  // namespace mercer
