#include "start.hpp"

#include <cmath>
#include <numeric>

namespace mercer {
namespace {

// Samples grow by this factor, from some rows for each feature on, and are solved roughly.
constexpr Index sample_growth = 8;
constexpr Index rows_per_feature = 4;
constexpr Index smallest_sample = 1000;
constexpr int steps_per_sample = 6;
constexpr double gap_of_samples = 0.1;
// The larger a sample, the better the values that its weights give, and the steeper the envelopes may begin.
constexpr double steepness_of_samples = 0.25;
// The path: how C grows along it, and how well each problem is solved.
constexpr double path_growth = 10;
constexpr double gap_of_path = 1e-2;
constexpr int steps_per_problem = 100;
// The path ends where no coefficient is larger than this share of its bound.
constexpr double free_of_bounds = 0.5;

LinearOptions roughly(LinearOptions options, double gap_tol) {
  options.gap_tol = std::max(options.gap_tol, gap_tol);
  options.tol = std::numeric_limits<double>::infinity();
  return options;
}

double largest_size(const std::vector<double>& coef) {
  double largest = 0;
  for (const double c : coef) largest = std::max(largest, std::abs(c));
  return largest;
}

// The C at which a row alone would move its own value by about one.
double natural_bound(const LinearRows& X) {
  std::vector<double> norms(static_cast<std::size_t>(X.size()));
  X.squared_norms(every(1, X.size()), norms.data());
  return static_cast<double>(X.size()) / std::accumulate(norms.begin(), norms.end(), 0.0);
}

}  // namespace

void start_from_samples(Multipliers& whole, const StartOf& start, std::vector<double>& w) {
  const auto& [X, problem, options, stop] = start;
  const LinearOptions rough = roughly(options, gap_of_samples);
  const Index least = std::max(smallest_sample, rows_per_feature * X.cols());
  Index step = 1;
  while (X.size() / (step * sample_growth) >= least) step *= sample_growth;
  const auto sample = [&](double steepness) {
    return Multipliers(X, problem, rough, stop, {every(step, X.size()), static_cast<double>(step), steepness});
  };
  std::optional<Multipliers> smooth;
  if (problem.weight.empty()) {
    smooth.emplace(sample(0));
    smooth->go_to(w);
    smooth->minimise(steps_per_sample);
    w = smooth->weights();
  }
  double steepness = first_steepness;
  for (; step > 1; step /= sample_growth) {
    Multipliers part = sample(steepness);
    if (smooth) part.damp_with(*smooth);
    part.go_to(w);
    w = part.solve().w;
    const double rows = static_cast<double>(X.size() / step), columns = static_cast<double>(X.cols());
    steepness =
        std::clamp(steepness_of_samples * std::sqrt(rows / columns), first_steepness, Multipliers::most_steepness);
  }
  whole.begin_with(steepness);
  if (smooth) whole.damp_with(*smooth);
  whole.go_to(w);
}

// Where bounds are far beyond the coefficients, envelopes as wide as these lead astray. So it goes along a path of
// bounds that grow tenfold, until they hold no coefficient back, and begins with envelopes as wide as the coefficients.
void start_along_path(Multipliers& whole, const StartOf& start) {
  const auto& [X, problem, options, stop] = start;
  const LinearOptions rough = roughly(options, gap_of_path);
  double widest = 0;
  for (std::size_t i = 0; i < problem.upper.size(); ++i) widest = std::max(widest, problem.upper[i] - problem.lower[i]);
  std::vector<double> coef;
  double steepness = first_steepness;
  for (double factor = std::min(natural_bound(X) / widest, 1.0); factor < 1; factor *= path_growth) {
    const auto all = [&](double steep) {
      return Multipliers(X, problem, rough, stop, {every(1, X.size()), factor, steep});
    };
    if (coef.empty()) {
      Multipliers smooth = all(0);
      smooth.go_to(std::vector<double>(static_cast<std::size_t>(X.cols()), 0.0));
      smooth.minimise(steps_per_problem);
      coef = smooth.coefficients();
    }
    Multipliers part = all(first_steepness);
    part.go_on_from(coef, steepness);
    coef = part.solve(steps_per_problem).coef;
    const double share = largest_size(coef) / (factor * widest);
    steepness = first_steepness * share / path_growth;
    if (share < free_of_bounds) break;
  }
  if (coef.empty()) coef.assign(problem.slope.size(), 0.0);
  const double largest = largest_size(coef);
  whole.go_on_from(coef, first_steepness * (largest > 0 ? std::min(largest / widest, 1.0) : 1.0));
}

}  // namespace mercer
