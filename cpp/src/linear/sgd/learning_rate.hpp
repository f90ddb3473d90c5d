// The length of the steps of stochastic gradient descent.
#pragma once

#include "mercer/sgd.hpp"

namespace mercer {

class LearningRate {
 public:
  explicit LearningRate(const SgdOptions& options);
  double at_step(Index t) const;
  // False where the rate does not adapt any more.
  bool fall();

 private:
  const SgdOptions& options_;
  double eta_;
  double t0_ = 1;
};

}  // namespace mercer
