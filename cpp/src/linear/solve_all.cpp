#include <cmath>

#include "mercer/linear.hpp"
#include "objectives.hpp"

namespace mercer {
namespace {

LinearMethod other(LinearMethod method) {
  return method == LinearMethod::coordinates ? LinearMethod::multipliers : LinearMethod::coordinates;
}

// A dual value of less than this share of the primal one is no place to start from.
constexpr double worth_a_start = 0.5;

// Takes the better weights and the better dual variables of two solutions, neither of which is proved to be the
// optimum, and tells whether another method may start there. The first may be empty, which stands for zeros.
bool take_the_better(const Matrix& X, const LinearTask& task, LinearSolution earlier, LinearSolution& found,
                     int threads) {
  Stop stop;  // a few passes, whatever the limits
  if (earlier.w.empty()) earlier.w.assign(found.w.size(), 0.0);
  if (earlier.coef.empty()) earlier.coef.assign(found.coef.size(), 0.0);
  double primal = primal_of(X, task, found.w, threads, stop), dual = dual_of(X, task, found.coef, threads, stop);
  const double primal_before = primal_of(X, task, earlier.w, threads, stop);
  const double dual_before = dual_of(X, task, earlier.coef, threads, stop);
  // Not a number is worse than any.
  if (!(primal <= primal_before)) primal = primal_before, found.w = std::move(earlier.w);
  if (!(dual >= dual_before)) dual = dual_before, found.coef = std::move(earlier.coef);
  return dual >= worth_a_start * primal;
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
    bool starts_from_earlier = true;
    for (const LinearMethod way : {method, other(method)}) {
      if (way == LinearMethod::coordinates && task.qp.free_offsets) break;
      const Index steps = solution.steps;
      LinearSolution earlier = std::move(solution);
      if (!earlier.coef.empty() && starts_from_earlier) task.qp.start = earlier.coef;
      solution = way == LinearMethod::coordinates
                     ? solve_by_coordinates(X, task, own, seed + k, *stop)
                     : solve_by_multipliers(*linear_rows(X, task.rows, task.offsets), task.qp, own, *stop);
      solution.steps += steps;
      task.qp.start = {};
      if (solution.status != Status::solved)
        starts_from_earlier = take_the_better(X, task, std::move(earlier), solution, own.threads);
      if (solution.status != Status::stalled) break;
    }
    return solution.status;
  });
  return solutions;
}

}  // namespace mercer
