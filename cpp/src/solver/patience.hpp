// When to give up: rounding can keep a violation from falling for ever.
#pragma once

#include <limits>

#include "mercer/stop.hpp"

namespace mercer {

// Progress is asked to shrink the violation by this factor within a window of steps.
inline constexpr double least_progress = 0.9;
inline constexpr Index window_steps = 1'000'000;
inline constexpr Index window_steps_per_row = 100;

class Patience {
 public:
  Patience(Index rows, Index steps) : window_(window_steps + window_steps_per_row * rows), steps_at_best_(steps) {}

  // Throws where the violation has not fallen enough for too many steps.
  void watch(double violation, Index steps) {
    if (violation < least_progress * best_) {
      best_ = violation;
      steps_at_best_ = steps;
    }
    if (steps - steps_at_best_ > window_) throw Stopped(Status::stalled);
  }

 private:
  Index window_;
  Index steps_at_best_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace mercer
