// The point the solver is at: signed coefficients, their box, and the values that tell who violates.
#pragma once

#include <vector>

#include "mercer/box_qp.hpp"

namespace mercer {

// values == slope - K coef on the active rows, where slope = -y p. A row is "up" while coef < hi: its coefficient can
// grow; it is "low" while coef > lo. At the optimum no up row has a larger value than any low row.
struct State {
  std::vector<double> coef, lo, hi, slope, values, diagonal;

  Index size() const { return static_cast<Index>(coef.size()); }
  bool up(Index i) const { return coef[at(i)] < hi[at(i)]; }
  bool low(Index i) const { return coef[at(i)] > lo[at(i)]; }
  bool free(Index i) const { return up(i) && low(i); }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
};

// The largest value over up rows and the least over low rows.
struct Extremes {
  double top;
  double bottom;
  double violation() const { return top - bottom; }
};

// Kernel values among the rows of a state, row after row.
template <class T>
struct Block {
  const T* values;
  Index stride;
  const T* row(Index i) const { return values + i * stride; }
};

State start_state(const BoxQp& qp);
Extremes extremes(const State& state);               // of all rows
Extremes extremes(const State& state, Index known);  // of the first `known` rows

// The mean value of the free rows, or the middle of the extremes where there are none.
double middle(const State& state);

// The dual value slope.c - 1/2 c'Kc, the squared norm c'Kc, and the duality gap at the middle of the intercept's
// interval.
struct Objective {
  double dual;
  double squared_norm;
  double gap;
};
Objective objective(const State& state);

}  // namespace mercer
