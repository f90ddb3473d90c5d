// Independent problems on the same data, solved side by side.
#pragma once

#include <functional>

#include "mercer/linear_problem.hpp"
#include "mercer/side_by_side.hpp"

namespace mercer {

// Solves the k-th problem with so many threads, from what was reached before the time was up for the first time; that
// has no weights yet where it begins.
using SolveOne = std::function<LinearSolution(std::size_t k, const LinearSolution& reached, int threads, Stop& stop)>;

// Several problems have one thread each, one has all of them.
std::vector<LinearSolution> solve_each(const Matrix& X, const std::vector<LinearProblem>& problems, int threads,
                                       const Limits& limits, const Stop::Report& report, const SolveOne& solve);

}  // namespace mercer
