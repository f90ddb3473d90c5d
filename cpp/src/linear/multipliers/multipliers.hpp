// The method of multipliers with semismooth Newton steps on some rows of a problem: multipliers.cpp explains it. What
// it goes through stands in iterate.hpp (where it is), envelope_rows.hpp (the rows with their losses) and
// newton_matrix.hpp (its systems); where it starts in start.hpp.
#pragma once

#include <limits>
#include <optional>

#include "envelope_rows.hpp"
#include "iterate.hpp"
#include "newton_matrix.hpp"

namespace mercer {

class Multipliers {
 public:
  // How steep the envelopes may begin.
  static constexpr double most_steepness = 16;

  // Rows, problem, options and stop must outlive it.
  Multipliers(const LinearRows& X, const LinearProblem& problem, const LinearOptions& options, Stop& stop,
              const Sample& sample);

  // Sets how steep the envelopes are, before going anywhere.
  void begin_with(double steepness) { rows_.set_steepness(steepness); }
  // Damps the first steps with the matrix of a sample, or of another loss.
  void damp_with(const Multipliers& other) {
    if (newton_) newton_->damp_with(*other.newton_);
  }
  // Goes to some weights, with all rows active. Without centres to keep, these follow from the weights.
  void go_to(const std::vector<double>& w, bool keeps_centres = false);
  // Goes to coefficients of a like problem, and their weights.
  void go_on_from(std::span<const double> coef, double steepness = most_steepness);
  // Newton's steps on the envelopes, until their gradient adds little to the gap.
  void minimise(int most_steps);
  // Rounds of the method of multipliers, ended as stalled after so many steps.
  LinearSolution solve(Index most_steps = std::numeric_limits<Index>::max());

  const std::vector<double>& weights() const { return at_.w; }
  std::vector<double> coefficients() { return rows_.coefficients(); }

 private:
  std::size_t width() const { return static_cast<std::size_t>(X_.cols()); }
  void set_free_offsets(const std::vector<double>& coef, std::vector<double>& w);
  void settle(const std::vector<double>* step, double t, double horizon);
  std::vector<double> newton_step(const std::vector<double>& gradient);
  double line_search(const std::vector<double>& gradient, const std::vector<double>& step);
  void move_centres();
  void refresh();

  const LinearRows& X_;
  const LinearOptions& options_;
  Stop& stop_;
  bool counts_steps_;  // nobody counts those of samples
  EnvelopeRows rows_;
  std::optional<NewtonMatrix> newton_;  // none where there are too many columns
  Iterate at_;
  Index steps_ = 0;
};

}  // namespace mercer
