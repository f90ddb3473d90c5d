// Where the method of multipliers starts: nested samples, each solved roughly and the start of the next.
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
// A start that leads nowhere in so many steps is given up.
constexpr Index most_steps_from_a_start = 100;

std::vector<std::int32_t> every(Index step, Index count) {
  std::vector<std::int32_t> list;
  for (Index i = 0; i < count; i += step) list.push_back(static_cast<std::int32_t>(i));
  return list;
}

// Goes to the weights that nested samples lead to. The first is solved for the squared loss, whatever the loss.
void start_from_samples(Multipliers& whole, const LinearRows& X, const LinearQp& qp, const LinearOptions& options,
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

LinearSolution solve_by_multipliers(const LinearRows& X, const LinearQp& qp, const LinearOptions& options, Stop& stop) {
  std::vector<double> w(static_cast<std::size_t>(X.cols()), 0.0);
  try {
    const auto whole = [&] { return Multipliers(X, qp, options, stop, every(1, X.size()), 1.0, qp.unit, first_scale); };
    Index steps_before = 0;
    if (!qp.start.empty()) {
      Multipliers going_on = whole();
      going_on.go_on_from(qp.start);
      LinearSolution found = going_on.solve(most_steps_from_a_start);
      if (found.status != Status::stalled) return found;
      steps_before = found.steps;
    }
    Multipliers anew = whole();
    start_from_samples(anew, X, qp, options, w, stop);
    LinearSolution found = anew.solve();
    found.steps += steps_before;
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
