// What the optimality (KKT) conditions of box QPs say of coefficients, in one pass. It shares nothing with the solver:
// the products are the caller's.
#pragma once

#include "mercer/problems.hpp"

namespace mercer {

struct Point {
  const Problems& problems;  // whose start has the sums that coefficients must have
  std::span<const double> coef;
  std::span<const double> products;  // K c, each problem's with its own c
  double at_bound;                   // a coefficient within this share of its bound is at it
};

// One number for each sum and problem, the problems of the first sum before those of the second; `size` has one for
// each problem.
struct KktSummary {
  std::vector<double> least, largest;  // the multipliers of the sum that the conditions allow: up rows ask for no
                                       // less, low rows for no more
  std::vector<double> best;            // the mean of the free rows, or the middle of these
  std::vector<double> size;            // the sum of the magnitudes of the coefficients
  bool inside;                         // all coefficients are numbers within their bounds
  double imbalance;                    // how far a sum is off at most
  double largest_linear, largest_bound;
};

// Throws std::invalid_argument where there is not one coefficient and product for each row.
KktSummary summarise_kkt(const Point& point);

}  // namespace mercer
