#include "objectives.hpp"

#include <cmath>

namespace mercer {
namespace {

double squares(const std::vector<double>& w, const Matrix& X, const LinearProblem& problem) {
  const std::size_t penalised = problem.free_offsets ? static_cast<std::size_t>(cols_of(X)) : w.size();
  double sum = 0;
  for (std::size_t j = 0; j < penalised; ++j) sum += w[j] * w[j];
  return sum;
}

// What the dual variable c makes of a row whose value is f.
double payoff(const LinearProblem& problem, std::size_t i, double c, double f) {
  const double kink = problem.kink.empty() ? 0.0 : problem.kink[i];
  const double ridge = problem.weight.empty() ? 0.0 : 1 / problem.weight[i];
  return c * (problem.slope[i] - f) - kink * std::abs(c) - 0.5 * ridge * c * c;
}

// The most that any makes of it.
double loss(const LinearProblem& problem, std::size_t i, double f) {
  const double r = problem.slope[i] - f, excess = std::abs(r) - (problem.kink.empty() ? 0.0 : problem.kink[i]);
  if (!(excess > 0)) return std::isnan(excess) ? excess : 0.0;
  const double bound = r > 0 ? problem.upper[i] : -problem.lower[i];
  const double best = problem.weight.empty() ? bound : std::min(bound, excess * problem.weight[i]);
  return best > 0 ? payoff(problem, i, r > 0 ? best : -best, f) : 0.0;
}

}  // namespace

double primal_of(const Matrix& X, const LinearProblem& problem, const std::vector<double>& w, int threads, Stop& stop) {
  const std::vector<double> values =
      linear_values(*linear_rows(X, problem.rows, problem.offsets), w.data(), threads, stop);
  double sum = 0.5 * squares(w, X, problem);
  for (std::size_t j = static_cast<std::size_t>(cols_of(X)), k = 0; problem.free_offsets && j < w.size(); ++j, ++k)
    sum += problem.sums[k] * w[j];
  for (std::size_t i = 0; i < values.size(); ++i) sum += loss(problem, i, values[i]);
  return sum;
}

double dual_of(const Matrix& X, const LinearProblem& problem, const std::vector<double>& coef, int threads,
               Stop& stop) {
  const std::vector<double> sums =
      linear_sums(*linear_rows(X, problem.rows, problem.offsets), coef.data(), threads, stop);
  double sum = -0.5 * squares(sums, X, problem);
  for (std::size_t i = 0; i < coef.size(); ++i) sum += payoff(problem, i, coef[i], 0.0);
  return sum;
}

}  // namespace mercer
