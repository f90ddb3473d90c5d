// Where the method of multipliers starts: nested samples, each solved roughly and the start of the next; and where that
// leads nowhere, a path of prices.
#include <numeric>
#include <optional>

#include "multipliers.hpp"

namespace mercer {
namespace {

// Samples grow by this factor, from some rows a feature on, and are solved roughly.
constexpr Index sample_growth = 8;
constexpr Index rows_a_feature = 4;
constexpr Index smallest_sample = 1000;
constexpr int steps_a_sample = 6;
constexpr double gap_of_samples = 0.1;
// The larger a sample, the better the values that its weights give, and the steeper the envelopes may begin.
constexpr double steepness_of_samples = 0.25;
constexpr double first_scale = 0.5;
// A start that leads nowhere in so many steps is given up, and so is the first try.
constexpr Index most_steps_from_a_start = 100;
constexpr Index most_steps_of_a_try = 150;
// The second goes along prices, each solved roughly.
constexpr double price_growth = 10;
constexpr double gap_of_prices = 1e-2;
constexpr int steps_a_price = 100;
constexpr double free_of_bounds = 0.5;
// Conjugate gradients are quick, but factors are sure.
constexpr Index most_factored_anyway = 1024;

std::vector<std::int32_t> every(Index step, Index count) {
  std::vector<std::int32_t> list;
  for (Index i = 0; i < count; i += step) list.push_back(static_cast<std::int32_t>(i));
  return list;
}

double largest_size(const std::vector<double>& coef) {
  double largest = 0;
  for (const double c : coef) largest = std::max(largest, std::abs(c));
  return largest;
}

// The price at which a row alone would move its own value by about one.
double natural_price(const LinearRows& X) {
  std::vector<double> norms(static_cast<std::size_t>(X.size()));
  X.squared_norms(every(1, X.size()), norms.data());
  return static_cast<double>(X.size()) / std::accumulate(norms.begin(), norms.end(), 0.0);
}

// Where bounds are far beyond the coefficients, envelopes as wide as these lead astray. So it goes along a path of
// bounds that grow tenfold, until they hold no coefficient back, and begins with envelopes as wide as the coefficients.
void start_along_prices(Multipliers& whole, const LinearRows& X, const LinearProblem& qp, const LinearOptions& options,
                        Stop& stop) {
  LinearOptions rough = options;
  rough.gap_tol = std::max(options.gap_tol, gap_of_prices);
  rough.tol = std::numeric_limits<double>::infinity();
  double widest = 0;
  for (std::size_t i = 0; i < qp.upper.size(); ++i) widest = std::max(widest, qp.upper[i] - qp.lower[i]);
  std::vector<double> coef;
  double steepness = first_scale;
  for (double factor = std::min(natural_price(X) / widest, 1.0); factor < 1; factor *= price_growth) {
    const auto all = [&](double steep) {
      return Multipliers(X, qp, rough, stop, every(1, X.size()), factor, qp.unit, steep);
    };
    if (coef.empty()) {
      Multipliers smooth = all(0);
      smooth.go_to(std::vector<double>(static_cast<std::size_t>(X.cols()), 0.0));
      smooth.minimise(steps_a_price);
      coef = smooth.coefficients();
    }
    Multipliers part = all(first_scale);
    part.go_on_from(coef, steepness);
    coef = part.solve(steps_a_price).coef;
    const double share = largest_size(coef) / (factor * widest);
    steepness = first_scale * share / price_growth;
    if (share < free_of_bounds) break;
  }
  if (coef.empty()) coef.assign(qp.slope.size(), 0.0);
  const double largest = largest_size(coef);
  whole.go_on_from(coef, first_scale * (largest > 0 ? std::min(largest / widest, 1.0) : 1.0));
}

// Goes to the weights that nested samples lead to. The first is solved for the squared loss, whatever the loss.
void start_from_samples(Multipliers& whole, const LinearRows& X, const LinearProblem& qp, const LinearOptions& options,
                        std::vector<double>& w, Stop& stop) {
  LinearOptions rough = options;
  rough.gap_tol = std::max(options.gap_tol, gap_of_samples);
  rough.tol = std::numeric_limits<double>::infinity();
  const Index least = std::max(smallest_sample, rows_a_feature * X.cols());
  Index step = 1;
  while (X.size() / (step * sample_growth) >= least) step *= sample_growth;
  const auto sample = [&](double steepness) {
    return Multipliers(X, qp, rough, stop, every(step, X.size()), static_cast<double>(step), qp.unit, steepness);
  };
  std::optional<Multipliers> smooth;
  if (qp.weight.empty()) {
    smooth.emplace(sample(0));
    smooth->go_to(w);
    smooth->minimise(steps_a_sample);
    w = smooth->weights();
  }
  double steepness = first_scale;
  for (; step > 1; step /= sample_growth) {
    Multipliers part = sample(steepness);
    if (smooth) part.take_gram(*smooth);
    part.go_to(w);
    w = part.solve().w;
    const double rows = static_cast<double>(X.size() / step), columns = static_cast<double>(X.cols());
    steepness = std::clamp(steepness_of_samples * std::sqrt(rows / columns), first_scale, Multipliers::most_steepness);
  }
  whole.begin_with(steepness);
  if (smooth) whole.take_gram(*smooth);
  whole.go_to(w);
}

}  // namespace

LinearSolution solve_by_multipliers(const Matrix& data, const LinearProblem& qp, const LinearOptions& options,
                                    Stop& stop) {
  const std::unique_ptr<LinearRows> rows = linear_rows(data, qp.rows, qp.offsets);
  const LinearRows& X = *rows;
  std::vector<double> w(static_cast<std::size_t>(X.cols()), 0.0);
  try {
    LinearOptions own = options;
    const bool may_factor = X.cols() > options.most_factored && X.cols() <= most_factored_anyway;
    const bool has_another_way = qp.weight.empty() || may_factor;
    const auto whole = [&](double steepness) {
      return Multipliers(X, qp, own, stop, every(1, X.size()), 1.0, qp.unit, steepness);
    };
    Index steps_before = 0;
    const auto ended = [&](LinearSolution& found) {
      found.steps += steps_before;
      steps_before = found.steps;
      return found.status != Status::stalled;
    };
    if (!qp.start.empty()) {
      Multipliers going_on = whole(first_scale);
      going_on.go_on_from(qp.start);
      LinearSolution found = going_on.solve(most_steps_from_a_start);
      if (ended(found)) return found;
    }
    LinearSolution found;
    {
      Multipliers anew = whole(first_scale);
      start_from_samples(anew, X, qp, own, w, stop);
      found = has_another_way ? anew.solve(most_steps_of_a_try) : anew.solve();
    }
    if (ended(found) || !has_another_way) return found;
    if (may_factor) own.most_factored = X.cols();
    std::ranges::fill(w, 0.0);
    Multipliers again = whole(first_scale);
    if (qp.weight.empty())
      start_along_prices(again, X, qp, own, stop);
    else
      start_from_samples(again, X, qp, own, w, stop);
    found = again.solve();
    ended(found);
    return found;
  } catch (const Stopped& stopped) {
    LinearSolution of_samples;
    of_samples.w = std::move(w);
    of_samples.coef.assign(qp.slope.size(), 0.0);
    of_samples.status = stopped.status;
    return of_samples;
  }
}

}  // namespace mercer
