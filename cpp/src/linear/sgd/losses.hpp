// The losses of stochastic gradient descent with their slopes; in a header, for a step of one row is little more.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/sgd.hpp"

namespace mercer {

// A loss, and its derivative by f.
struct LossAndSlope {
  double loss, slope;
};

// The losses of one function.
inline LossAndSlope loss_and_slope(SgdLoss loss, double epsilon, double y, double f) {
  switch (loss) {
    case SgdLoss::logistic: {
      const double margin = y * f, e = std::exp(-std::abs(margin));
      const double wrong = margin > 0 ? e / (1 + e) : 1 / (1 + e);  // the probability of the other class
      return {std::max(0.0, -margin) + std::log1p(e), -y * wrong};
    }
    case SgdLoss::hinge: {
      const double lack = 1 - y * f;
      return lack >= 0 ? LossAndSlope{lack, -y} : LossAndSlope{0, 0};
    }
    case SgdLoss::squared_hinge: {
      const double lack = 1 - y * f;
      return lack > 0 ? LossAndSlope{lack * lack, -2 * y * lack} : LossAndSlope{0, 0};
    }
    case SgdLoss::epsilon_insensitive: {
      const double excess = std::abs(y - f) - epsilon;
      return excess > 0 ? LossAndSlope{excess, f > y ? 1.0 : -1.0} : LossAndSlope{0, 0};
    }
    case SgdLoss::squared_epsilon_insensitive: {
      const double excess = std::abs(y - f) - epsilon;
      return excess > 0 ? LossAndSlope{excess * excess, f > y ? 2 * excess : -2 * excess} : LossAndSlope{0, 0};
    }
    case SgdLoss::huber: {
      const double error = f - y, size = std::abs(error);
      if (size <= epsilon) return {0.5 * error * error, error};
      return {epsilon * (size - 0.5 * epsilon), error > 0 ? epsilon : -epsilon};
    }
    case SgdLoss::modified_huber: {
      const double margin = y * f, lack = 1 - margin;
      if (margin < -1) return {-4 * margin, -4 * y};
      return lack > 0 ? LossAndSlope{lack * lack, -2 * y * lack} : LossAndSlope{0, 0};
    }
    case SgdLoss::perceptron: {
      const double margin = y * f;
      return margin > 0 ? LossAndSlope{0, 0} : LossAndSlope{-margin, -y};
    }
    case SgdLoss::squared: return {0.5 * (y - f) * (y - f), f - y};
    case SgdLoss::softmax: break;  // has several functions
  }
  return {0, 0};
}

// The loss of scores f, which stand `stride` apart and become its derivatives.
inline double softmax_loss_and_slopes(Index right, double* f, Index functions, Index stride) {
  double most = f[0];
  for (Index c = 1; c < functions; ++c) most = std::max(most, f[c * stride]);
  const double score = f[right * stride];
  double total = 0;
  for (Index c = 0; c < functions; ++c) total += f[c * stride] = std::exp(f[c * stride] - most);
  for (Index c = 0; c < functions; ++c) f[c * stride] /= total;
  f[right * stride] -= 1;
  return std::log(total) + most - score;
}

}  // namespace mercer
