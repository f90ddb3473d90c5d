// One method after the other where the first stalls, and several problems side by side.
#include "mercer/linear.hpp"
#include "objectives.hpp"
#include "solve_each.hpp"

namespace mercer {
namespace {

LinearMethod other(LinearMethod method) {
  return method == LinearMethod::coordinates ? LinearMethod::multipliers : LinearMethod::coordinates;
}

// A dual value of less than this share of the primal one is no place to start from.
constexpr double worth_a_start = 0.5;

// Takes the better weights and the better dual variables of two solutions, neither of which is proved to be the
// optimum, and tells whether another method may start there. The first may be empty, which stands for zeros.
bool take_the_better(const Matrix& X, const LinearProblem& problem, LinearSolution earlier, LinearSolution& found,
                     int threads) {
  Stop stop;  // a few passes, whatever the limits
  if (earlier.w.empty()) earlier.w.assign(found.w.size(), 0.0);
  if (earlier.coef.empty()) earlier.coef.assign(found.coef.size(), 0.0);
  double primal = primal_of(X, problem, found.w, threads, stop), dual = dual_of(X, problem, found.coef, threads, stop);
  const double primal_before = primal_of(X, problem, earlier.w, threads, stop);
  const double dual_before = dual_of(X, problem, earlier.coef, threads, stop);
  // Not a number is worse than any.
  if (!(primal <= primal_before)) primal = primal_before, found.w = std::move(earlier.w);
  if (!(dual >= dual_before)) dual = dual_before, found.coef = std::move(earlier.coef);
  return dual >= worth_a_start * primal;
}

}  // namespace

std::vector<LinearSolution> solve_linear(const Matrix& X, const std::vector<LinearProblem>& problems,
                                         LinearMethod method, const LinearOptions& options, const Limits& limits,
                                         const Stop::Report& report) {
  return solve_each(X, problems, options.threads, limits, report,
                    [&](std::size_t k, const LinearSolution& reached, int threads, Stop& stop) {
                      LinearProblem problem = problems[k];
                      if (!reached.coef.empty()) problem.start = reached.coef;
                      LinearOptions own = options;
                      own.threads = threads;
                      own.seed += k;
                      LinearSolution solution;
                      // Where one method stalls, the other may not.
                      bool starts_from_earlier = true;
                      for (const LinearMethod way : {method, other(method)}) {
                        if (way == LinearMethod::coordinates && problem.free_offsets) break;
                        LinearSolution earlier = std::move(solution);
                        if (!earlier.coef.empty() && starts_from_earlier) problem.start = earlier.coef;
                        const auto solve =
                            way == LinearMethod::coordinates ? solve_by_coordinates : solve_by_multipliers;
                        solution = solve(X, problem, own, stop);
                        solution.steps += earlier.steps;
                        problem.start = {};
                        if (solution.status != Status::solved)
                          starts_from_earlier = take_the_better(X, problem, std::move(earlier), solution, threads);
                        if (solution.status != Status::stalled) break;
                      }
                      return solution;
                    });
}

}  // namespace mercer
