// Whether the values that the solver runs on are exact enough, and whether it is done. Values come of sums of kernel
// values in T; where their rounding may be felt, some or all are compared with float64.
#pragma once

#include <limits>
#include <optional>

#include "resting_rows.hpp"

namespace mercer {

// What the numbers of a problem are like.
struct Scale {
  Sums pivots;              // where the values of free rows lie
  double unit;              // how far values lie apart, about
  double largest_diagonal;  // k(x, x), as far as it is known
};

template <class T>
class Verification {
 public:
  explicit Verification(const SolverOptions& options) : options_(options) {}

  // The violation to solve to before it is verified first.
  double first_target() const;

  // Where the rounding to expect of values is above the first target: that rounding. It is to be solved to, and
  // measured there: a kernel matrix that is wrong by more than the tolerance may have directions in which steps gain
  // for ever.
  std::optional<double> rounding_to_measure(const RestingRows<T>& rows, const Scale& scale) const;
  // Whether kernel values in T are wrong by too much for the tolerance. Some rows take float64 values.
  bool finds_doubt(RestingRows<T>& rows, const Scale& scale) const;

  // Compares running with float64 values as far as rounding may be felt; rows that decide the violation take these
  // where the two differ too much. Returns the violation.
  double verify(RestingRows<T>& rows, const Scale& scale) const;
  // Whether the solver is done.
  bool is_satisfied(const RestingRows<T>& rows, double violation) const;
  // Where it is not, the violation to solve to before it is verified again. Throws Stopped as stalled where that has
  // led nowhere for some times.
  double next_target(double target, double violation);

 private:
  const SolverOptions& options_;
  double last_violation_ = std::numeric_limits<double>::infinity();
  int fruitless_ = 0;  // verifications, one after the other
};

}  // namespace mercer
