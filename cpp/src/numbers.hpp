// The numbers in which the formulas of leaves are evaluated outside the loops, which have theirs in simd/lanes.hpp:
// double, and twice its precision.
#pragma once

#include <cmath>

#include "mercer/twofold.hpp"

namespace mercer {

struct Doubles {
  using Number = double;
  using Scalar = double;
  static double scalar(double x) { return x; }
  static double power(double base, int degree) { return std::pow(base, degree); }
  static double tanh(double x) { return std::tanh(x); }

  // x -> exp(-rate x)
  struct Decay {
    explicit Decay(double by) : rate(by) {}
    double operator()(double x) const { return std::exp(-rate * x); }
    double rate;
  };
};

struct Twofolds {
  using Number = Twofold;
  using Scalar = Twofold;
  static Twofold scalar(double x) { return {x, 0}; }
  static Twofold power(Twofold base, int degree) { return mercer::power(base, degree); }
  static Twofold tanh(Twofold x) { return mercer::tanh(x); }

  struct Decay {
    explicit Decay(double by) : rate{by, 0} {}
    Twofold operator()(Twofold x) const { return exp(Twofold{} - rate * x); }
    Twofold rate;
  };
};

}  // namespace mercer
