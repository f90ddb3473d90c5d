// A feasible point of the dual of lasso.hpp.
#pragma once

#include "mercer/linear_problem.hpp"

namespace mercer {

// The best multiple of given coefficients that is feasible, where the largest |sum_i c_i x_ij| is `largest`, for losses
// whose weights are scaled.
struct FeasibleMultiple {
  FeasibleMultiple(const LinearProblem& problem, double scale, std::span<const double> coef, double largest);
  double factor;
  double dual;  // its objective
};

}  // namespace mercer
