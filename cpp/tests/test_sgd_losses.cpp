// The losses of stochastic gradient descent, whose slopes are their derivatives, and the length of its steps.
#include "check.hpp"
#include "linear/sgd/learning_rate.hpp"
#include "linear/sgd/losses.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(sgd_slopes_are_the_derivatives_of_the_losses) {
  constexpr double by = 1e-6, epsilon = 0.3;
  for (const SgdLoss loss :
       {SgdLoss::squared, SgdLoss::logistic, SgdLoss::hinge, SgdLoss::squared_hinge, SgdLoss::epsilon_insensitive,
        SgdLoss::squared_epsilon_insensitive, SgdLoss::huber, SgdLoss::modified_huber, SgdLoss::perceptron})
    for (const double y : {-1.0, 1.0})
      for (double f = -3.05; f < 3.05; f += 0.1) {  // between the corners
        const auto [value, slope] = loss_and_slope(loss, epsilon, y, f);
        const double up = loss_and_slope(loss, epsilon, y, f + by).loss;
        const double down = loss_and_slope(loss, epsilon, y, f - by).loss;
        CHECK(value >= 0);
        CHECK_NEAR(slope, (up - down) / (2 * by), 1e-6);
      }
}

TEST(sgd_softmax_slopes_are_the_derivatives_of_its_loss) {
  constexpr double by = 1e-6;
  const std::vector<double> scores = Random(3).vector(4);
  for (Index right = 0; right < 4; ++right) {
    std::vector<double> slopes = scores;
    softmax_loss_and_slopes(right, slopes.data(), 4, 1);
    for (std::size_t c = 0; c < 4; ++c) {
      std::vector<double> up = scores, down = scores;
      up[c] += by;
      down[c] -= by;
      const double rise =
          softmax_loss_and_slopes(right, up.data(), 4, 1) - softmax_loss_and_slopes(right, down.data(), 4, 1);
      CHECK_NEAR(slopes[c], rise / (2 * by), 1e-7);
    }
  }
}

TEST(sgd_learning_rates_are_their_formulas) {
  SgdOptions options;
  options.eta0 = 0.5;
  options.power_t = 0.25;
  options.alpha = 0.01;
  options.rate = SgdRate::constant;
  CHECK(LearningRate(options).at_step(7) == 0.5 && !LearningRate(options).fall());
  options.rate = SgdRate::inverse_scaling;
  CHECK_NEAR(LearningRate(options).at_step(16), 0.25, 1e-15);
  options.rate = SgdRate::optimal;
  const LearningRate optimal(options);
  CHECK_NEAR(1 / optimal.at_step(11) - 1 / optimal.at_step(1), 0.1, 1e-12);
  options.rate = SgdRate::adaptive;
  LearningRate adaptive(options);
  CHECK(adaptive.fall());
  CHECK_NEAR(adaptive.at_step(1), 0.1, 1e-15);
  int falls = 1;
  while (adaptive.fall()) ++falls;
  CHECK(falls < 20 && adaptive.at_step(1) <= 1e-6);
}
