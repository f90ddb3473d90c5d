#include "solve_each.hpp"

namespace mercer {

std::vector<LinearSolution> solve_each(const Matrix& X, const std::vector<LinearProblem>& problems, int threads,
                                       const Limits& limits, const Stop::Report& report, const SolveOne& solve) {
  std::vector<double> work;
  for (const LinearProblem& problem : problems) work.push_back(static_cast<double>(problem.slope.size()));
  const int threads_of_one = problems.size() > 1 ? 1 : threads;
  std::vector<LinearSolution> solutions(problems.size());
  side_by_side(work, limits, threads, report, [&](std::size_t k, Stop* stop) {
    LinearSolution& solution = solutions[k];
    const LinearSolution reached = std::move(solution);
    if (stop) {
      solution = solve(k, reached, threads_of_one, *stop);
      solution.steps += reached.steps;
      return solution.status;
    }
    solution = reached;
    if (reached.w.empty()) {
      solution.w.assign(static_cast<std::size_t>(cols_of(X) + problems[k].offsets.count), 0.0);
      solution.coef.assign(problems[k].slope.size(), 0.0);
    }
    return solution.status = Status::interrupted;
  });
  return solutions;
}

}  // namespace mercer
