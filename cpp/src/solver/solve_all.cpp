#include "mercer/side_by_side.hpp"
#include "mercer/solver.hpp"

namespace mercer {

template <class T>
std::vector<Solution> solve_all(const std::vector<Task<T>>& tasks, const SolverOptions& options, const Limits& limits,
                                int threads, const Stop::Report& report) {
  std::vector<double> work;
  for (const Task<T>& task : tasks) {
    const auto n = static_cast<double>(task.qp.linear.size());
    work.push_back(n * n);
  }
  std::vector<Solution> solutions(tasks.size());
  side_by_side(work, limits, threads, report, [&](std::size_t k, Stop* stop) {
    Solution& solution = solutions[k];
    BoxQp qp = tasks[k].qp;
    const std::vector<double> reached = std::move(solution.coef);
    if (!reached.empty()) {
      qp.start = reached;
      qp.cold = false;
    }
    if (!stop) {
      solution.coef.assign(qp.start.begin(), qp.start.end());
      return solution.status = Status::interrupted;
    }
    const Index steps = solution.steps;
    HeldOut held_out = std::move(solution.held_out);
    const auto gram = (*tasks[k].gram)();
    solution = solve<T>(qp, *gram, options, *stop);
    solution.steps += steps;
    if (solution.held_out.values.empty()) solution.held_out = std::move(held_out);
    return solution.status;
  });
  return solutions;
}

template std::vector<Solution> solve_all(const std::vector<Task<float>>&, const SolverOptions&, const Limits&, int,
                                         const Stop::Report&);
template std::vector<Solution> solve_all(const std::vector<Task<double>>&, const SolverOptions&, const Limits&, int,
                                         const Stop::Report&);

}  // namespace mercer
