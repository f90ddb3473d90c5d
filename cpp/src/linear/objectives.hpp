// What weights and what dual variables are worth, apart from the solvers: for choosing among points where none was
// proved to be the optimum.
#pragma once

#include "mercer/linear_problem.hpp"

namespace mercer {

double primal_of(const Matrix& X, const LinearProblem& problem, const std::vector<double>& w, int threads, Stop& stop);
// Of dual variables within their bounds. Where offsets are free, their sums are taken for what is asked.
double dual_of(const Matrix& X, const LinearProblem& problem, const std::vector<double>& coef, int threads, Stop& stop);

}  // namespace mercer
