#include "objectives.hpp"

#include <cmath>

namespace mercer {
namespace {

double squares(const std::vector<double>& w, const Matrix& X, const LinearQp& qp) {
  const std::size_t priced = qp.free_offsets ? static_cast<std::size_t>(cols_of(X)) : w.size();
  double sum = 0;
  for (std::size_t j = 0; j < priced; ++j) sum += w[j] * w[j];
  return sum;
}

// What the dual variable c makes of a row whose value is f.
double payoff(const LinearQp& qp, std::size_t i, double c, double f) {
  const double kink = qp.kink.empty() ? 0.0 : qp.kink[i];
  const double ridge = qp.weight.empty() ? 0.0 : 1 / qp.weight[i];
  return c * (qp.slope[i] - f) - kink * std::abs(c) - 0.5 * ridge * c * c;
}

// The most that any makes of it.
double loss(const LinearQp& qp, std::size_t i, double f) {
  const double r = qp.slope[i] - f, excess = std::abs(r) - (qp.kink.empty() ? 0.0 : qp.kink[i]);
  if (!(excess > 0)) return std::isnan(excess) ? excess : 0.0;
  const double bound = r > 0 ? qp.upper[i] : -qp.lower[i];
  const double best = qp.weight.empty() ? bound : std::min(bound, excess * qp.weight[i]);
  return best > 0 ? payoff(qp, i, r > 0 ? best : -best, f) : 0.0;
}

}  // namespace

double primal_of(const Matrix& X, const LinearTask& task, const std::vector<double>& w, int threads, Stop& stop) {
  const LinearQp& qp = task.qp;
  const std::vector<double> values = linear_values(*linear_rows(X, task.rows, task.offsets), w.data(), threads, stop);
  double sum = 0.5 * squares(w, X, qp);
  for (std::size_t j = static_cast<std::size_t>(cols_of(X)), k = 0; qp.free_offsets && j < w.size(); ++j, ++k)
    sum += qp.sums[k] * w[j];
  for (std::size_t i = 0; i < values.size(); ++i) sum += loss(qp, i, values[i]);
  return sum;
}

double dual_of(const Matrix& X, const LinearTask& task, const std::vector<double>& coef, int threads, Stop& stop) {
  const std::vector<double> sums = linear_sums(*linear_rows(X, task.rows, task.offsets), coef.data(), threads, stop);
  double sum = -0.5 * squares(sums, X, task.qp);
  for (std::size_t i = 0; i < coef.size(); ++i) sum += payoff(task.qp, i, coef[i], 0.0);
  return sum;
}

}  // namespace mercer
