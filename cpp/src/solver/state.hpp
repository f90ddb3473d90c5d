// The point the solver is at: signed coefficients, their box, and the values that tell who violates.
#pragma once

#include <array>
#include <vector>

#include "mercer/box_qp.hpp"
#include "mercer/indexing.hpp"

namespace mercer {

// neg_grad == linear - K coef, the negative gradient but for the kink: the value of a row. A row is "up" while
// coef < hi: its coefficient can grow; it is "low" while coef > lo. What it gains by that is its value, less or plus
// the kink where the size of the coefficient has a price. At the optimum no up row of a sum gains more than any low row
// of it.
struct State {
  std::vector<double> coef, lo, hi, linear, kink, neg_grad, diagonal;
  bool two_sums = false;

  Index size() const { return length(coef); }
  std::size_t sums() const { return two_sums ? 2 : 1; }

  bool up(Index i) const { return at(coef, i) < at(hi, i); }
  bool low(Index i) const { return at(coef, i) > at(lo, i); }
  double up_value(Index i) const { return at(neg_grad, i) + up_shift(i); }
  double low_value(Index i) const { return at(neg_grad, i) + low_shift(i); }
  double up_shift(Index i) const { return at(coef, i) < 0 ? at(kink, i) : -at(kink, i); }
  double low_shift(Index i) const { return at(coef, i) > 0 ? -at(kink, i) : at(kink, i); }
  // The sum that changes: of two, that of the positive coefficients is the first.
  std::size_t up_sum(Index i) const { return two_sums && at(coef, i) < 0; }
  std::size_t low_sum(Index i) const { return two_sums && at(coef, i) <= 0; }
  // Where growing and falling end: at the box, or at zero, where values or sums change.
  double up_end(Index i) const { return bends(i) && at(coef, i) < 0 ? 0 : at(hi, i); }
  double low_end(Index i) const { return bends(i) && at(coef, i) > 0 ? 0 : at(lo, i); }

  bool free(Index i) const { return up(i) && low(i) && (at(coef, i) != 0 || !bends(i)); }

 private:
  bool bends(Index i) const { return two_sums || at(kink, i) > 0; }
};

// One number for each sum.
using Sums = std::array<double, 2>;

// The largest value over up rows and the least over low rows, of each sum.
struct Extremes {
  Sums top;
  Sums bottom;
  double violation(std::size_t sum) const { return top[sum] - bottom[sum]; }
  double violation() const { return violation(0) > violation(1) ? violation(0) : violation(1); }
};

// Kernel values among the rows of a state, row after row.
template <class T>
struct Block {
  const T* values;
  Index stride;
  const T* row(Index i) const { return values + i * stride; }
};

State start_state(const BoxQp& qp);
State restricted(const State& state, const std::vector<Index>& rows);  // these rows of it
double largest_diagonal(const State& state);                           // that is known; minus infinity where none is
Extremes extremes(const State& state);                                 // of all rows
Extremes extremes(const State& state, Index known);                    // of the first `known` rows

// The sums of the coefficients of the first rows: of the positive and the negative ones, or of all and zero.
Sums sums(const State& state, Index rows);

// Where the values of the free rows of each sum lie: their mean, or the middle of the extremes where there are none.
Sums middle(const State& state);

// The dual value linear.c - 1/2 c'Kc - kink.|c|, the squared norm c'Kc, and the duality gap at the middles.
struct Objective {
  double dual;
  double squared_norm;
  double gap;
};
Objective objective(const State& state);

}  // namespace mercer
