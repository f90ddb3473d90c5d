#include "mercer/linear.hpp"

namespace mercer {

std::vector<LinearSolution> solve_linear(const Matrix& X, const std::vector<LinearTask>& tasks, LinearMethod method,
                                         const LinearOptions& options, std::uint64_t seed, const Limits& limits,
                                         const Stop::Report& report) {
  std::vector<double> work;
  for (const LinearTask& task : tasks) work.push_back(static_cast<double>(task.qp.slope.size()));
  LinearOptions own = options;
  if (tasks.size() > 1) own.threads = 1;
  std::vector<LinearSolution> solutions(tasks.size());
  side_by_side(work, limits, options.threads, report, [&](std::size_t k, Stop* stop) {
    LinearSolution& solution = solutions[k];
    LinearTask task = tasks[k];
    const LinearSolution reached = std::move(solution);
    solution.steps = reached.steps;
    if (!reached.coef.empty()) task.qp.start = reached.coef;
    if (!stop) {
      solution.w.assign(static_cast<std::size_t>(cols_of(X) + task.offsets.count), 0.0);
      solution.coef.assign(task.qp.slope.size(), 0.0);
      if (!reached.coef.empty()) solution = reached;
      return solution.status = Status::interrupted;
    }
    if (method == LinearMethod::coordinates) {
      solution = solve_by_coordinates(X, task, own, seed + k, *stop);
      solution.steps += reached.steps;
      if (solution.status != Status::stalled) return solution.status;
      task.qp.start = solution.coef;
    }
    LinearSolution by_newton = solve_by_multipliers(*linear_rows(X, task.rows, task.offsets), task.qp, own, *stop);
    by_newton.steps += solution.steps;
    solution = std::move(by_newton);
    return solution.status;
  });
  return solutions;
}

}  // namespace mercer
