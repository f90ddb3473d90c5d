#include "iterate.hpp"

#include <cmath>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Newton's equations are solved to this share of what the envelopes leave of the gap.
constexpr double inner_share = 0.3;
constexpr double small_gap = 1e-6;  // of the objective, where no gap is asked for
// Sums of coefficients that are off by no more than this share of their sizes are as asked for.
constexpr double balanced = 1e-11;
// A share of the tolerance that rounding may take unseen.
constexpr double negligible = 1e-2;

}  // namespace

std::vector<double> Iterate::gradient() const {
  std::vector<double> g(w.size());
  for (std::size_t j = 0; j < g.size(); ++j) g[j] = -v[j] + penalty.derivative(static_cast<Index>(j), w[j]);
  return g;
}

double Iterate::primal() const {
  double dual = active.dual + inactive.dual;
  for (std::size_t j = 0; j < v.size(); ++j)
    if (penalty.covers(static_cast<Index>(j))) dual -= 0.5 * v[j] * v[j];
  return dual + gap();
}

double Iterate::gap_of_gradient() const {
  double sum = 0;
  for (std::size_t j = 0; j < w.size(); ++j)
    if (penalty.covers(static_cast<Index>(j))) sum += 0.5 * (w[j] - v[j]) * (w[j] - v[j]);
  return sum;
}

double Iterate::imbalance() const {
  double worst = 0;
  for (std::size_t j = 0; j < v.size(); ++j)
    if (!penalty.covers(static_cast<Index>(j)))
      worst = std::max(worst, std::abs(v[j] - penalty.derivative(static_cast<Index>(j), w[j])));
  return worst / std::max(active.size + inactive.size, std::numeric_limits<double>::min());
}

double Iterate::drift() const { return std::sqrt(2 * gap_of_gradient()) * largest_norm; }

bool Iterate::is_optimal(const LinearOptions& options) const {
  return (options.gap_tol == infinity || gap() <= options.gap_tol * std::abs(primal())) && imbalance() <= balanced &&
         violation() + 2 * drift() <= options.tol;
}

bool Iterate::is_at_minimum(const LinearOptions& options) const {
  const double share = options.gap_tol == infinity ? small_gap : options.gap_tol;
  const double enough = std::max(active.gap, share * std::abs(primal()));
  return gap_of_gradient() <= inner_share * enough && imbalance() <= balanced &&
         (violation() > options.tol || drift() <= inner_share * options.tol);
}

bool Iterate::is_exact(const LinearOptions& options) const {
  return 0.5 * rounding * rounding <= negligible * options.gap_tol * std::abs(primal());
}

}  // namespace mercer
