// Linear machines with squared weights (linear_problem.hpp), found through their structure instead of a kernel matrix.
#pragma once

#include <vector>

#include "mercer/linear_problem.hpp"
#include "mercer/side_by_side.hpp"

namespace mercer {

// The method of multipliers on the dual, with Newton's steps in w.
LinearSolution solve_by_multipliers(const Matrix& X, const LinearProblem& problem, const LinearOptions& options,
                                    Stop& stop);

// Descent in one dual variable at a time, in a random order: for many features, of which a row has few. The offsets
// must not be free.
LinearSolution solve_by_coordinates(const Matrix& X, const LinearProblem& problem, const LinearOptions& options,
                                    Stop& stop);

enum class LinearMethod { multipliers, coordinates };

// Solves independent problems on the same data: several side by side with one thread each, one with all threads.
std::vector<LinearSolution> solve_linear(const Matrix& X, const std::vector<LinearProblem>& problems,
                                         LinearMethod method, const LinearOptions& options, const Limits& limits,
                                         const Stop::Report& report);

}  // namespace mercer
