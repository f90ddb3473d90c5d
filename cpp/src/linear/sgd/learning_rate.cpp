#include "learning_rate.hpp"

#include "losses.hpp"

namespace mercer {
namespace {

// The adaptive rate falls by this factor, down to this least value, both scikit-learn's.
constexpr double fall_of_rate = 5;
constexpr double least_rate = 1e-6;

}  // namespace

LearningRate::LearningRate(const SgdOptions& options) : options_(options), eta_(options.eta0) {
  if (options.rate != SgdRate::optimal) return;
  // Bottou: the first step moves a weight by its typical size, where the loss pulls hardest.
  const double typical = 1 / std::sqrt(std::sqrt(options.alpha));
  const double slope =
      options.loss == SgdLoss::softmax ? 1 : std::abs(loss_and_slope(options.loss, options.epsilon, 1, -typical).slope);
  t0_ = std::max(1.0, slope) / (typical * options.alpha);
}

double LearningRate::at_step(Index t) const {
  switch (options_.rate) {
    case SgdRate::inverse_scaling: return options_.eta0 / std::pow(static_cast<double>(t), options_.power_t);
    case SgdRate::optimal: return 1 / (options_.alpha * (t0_ + static_cast<double>(t - 1)));
    case SgdRate::constant:
    case SgdRate::adaptive: break;
  }
  return eta_;
}

bool LearningRate::fall() {
  if (options_.rate != SgdRate::adaptive || eta_ <= least_rate) return false;
  eta_ /= fall_of_rate;
  return true;
}

}  // namespace mercer
