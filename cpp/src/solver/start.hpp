// Where a solve begins: at the coefficients it is given or, cold, at zero with their sums to meet.
#pragma once

#include "sums.hpp"

namespace mercer {

class Start {
 public:
  // A start at zero is cold as well. A cold one leaves `state` at zero: samples lead to better coefficients.
  Start(State& state, bool cold);

  bool is_cold() const { return is_cold_; }
  // Whether a sum other than zero is asked for.
  bool has_weight() const { return wanted_[0] != 0 || wanted_[1] != 0; }

  // Gives the first `rows` rows their share of the sums of a cold start, by what they gain or from the last; all rows
  // what is missing to the sums, or the start itself where that does not lead there. True where a coefficient changed;
  // values are left as they are.
  bool give_sums(State& state, Index rows, bool by_gain) const;

 private:
  Sums wanted_;
  bool is_cold_;
  std::vector<double> coef_;  // of a cold start
};

}  // namespace mercer
