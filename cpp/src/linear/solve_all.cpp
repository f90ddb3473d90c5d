#include "mercer/linear.hpp"

namespace mercer {
namespace {

LinearMethod other(LinearMethod method) {
  return method == LinearMethod::coordinates ? LinearMethod::multipliers : LinearMethod::coordinates;
}

}  // namespace

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
    // Where one method stalls, the other may not.
    for (const LinearMethod way : {method, other(method)}) {
      if (way == LinearMethod::coordinates && task.qp.free_offsets) break;
      const Index steps = solution.steps;
      const LinearSolution earlier = std::move(solution);
      if (!earlier.coef.empty()) task.qp.start = earlier.coef;
      solution = way == LinearMethod::coordinates
                     ? solve_by_coordinates(X, task, own, seed + k, *stop)
                     : solve_by_multipliers(*linear_rows(X, task.rows, task.offsets), task.qp, own, *stop);
      solution.steps += steps;
      if (solution.status != Status::stalled) break;
    }
    return solution.status;
  });
  return solutions;
}

}  // namespace mercer
