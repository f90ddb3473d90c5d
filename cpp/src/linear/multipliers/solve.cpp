// The tries of the method of multipliers: from a start that is given, from samples, and where that leads nowhere from
// the end of a path.
#include "mercer/linear.hpp"
#include "start.hpp"

namespace mercer {
namespace {

// A start that leads nowhere in so many steps is given up, and so is the first try.
constexpr Index most_steps_from_a_start = 100;
constexpr Index most_steps_of_a_try = 150;
// Conjugate gradients are quick, but factors are sure.
constexpr Index most_factored_anyway = 1024;

}  // namespace

LinearSolution solve_by_multipliers(const Matrix& data, const LinearProblem& problem, const LinearOptions& options,
                                    Stop& stop) {
  const std::unique_ptr<LinearRows> rows = linear_rows(data, problem.rows, problem.offsets);
  const LinearRows& X = *rows;
  std::vector<double> w(static_cast<std::size_t>(X.cols()), 0.0);
  try {
    LinearOptions own = options;
    const StartOf start{X, problem, own, stop};
    const bool may_factor = X.cols() > options.most_factored && X.cols() <= most_factored_anyway;
    const bool has_another_way = problem.weight.empty() || may_factor;
    const auto whole = [&] { return Multipliers(X, problem, own, stop, {every(1, X.size()), 1.0, first_steepness}); };
    Index steps_before = 0;
    const auto ended = [&](LinearSolution& found) {
      found.steps += steps_before;
      steps_before = found.steps;
      return found.status != Status::stalled;
    };
    if (!problem.start.empty()) {
      Multipliers going_on = whole();
      going_on.go_on_from(problem.start);
      LinearSolution found = going_on.solve(most_steps_from_a_start);
      if (ended(found)) return found;
    }
    LinearSolution found;
    {
      Multipliers anew = whole();
      start_from_samples(anew, start, w);
      found = has_another_way ? anew.solve(most_steps_of_a_try) : anew.solve();
    }
    if (ended(found) || !has_another_way) return found;
    if (may_factor) own.most_factored = X.cols();
    std::ranges::fill(w, 0.0);
    Multipliers again = whole();
    if (problem.weight.empty())
      start_along_path(again, start);
    else
      start_from_samples(again, start, w);
    found = again.solve();
    ended(found);
    return found;
  } catch (const Stopped& stopped) {
    LinearSolution of_samples;
    of_samples.w = std::move(w);
    of_samples.coef.assign(problem.slope.size(), 0.0);
    of_samples.status = stopped.status;
    return of_samples;
  }
}

}  // namespace mercer
