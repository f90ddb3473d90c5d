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
  static double sqrt(double x) { return std::sqrt(x); }
  static double log1p(double x) { return std::log1p(x); }
  static double sin_of_pi(double x) { return std::sin(pi * (x - std::nearbyint(x))); }
  static double at_most(double x, double bound) { return x < bound ? x : bound; }
  static double is_zero(double x) { return x == 0 ? 1 : 0; }
  static constexpr double pi = 3.141592653589793;

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
  static Twofold sqrt(Twofold x) { return mercer::sqrt(x); }
  static Twofold log1p(Twofold x) { return mercer::log(Twofold{1, 0} + x); }
  static Twofold sin_of_pi(Twofold x) { return mercer::sin_of_pi(x); }
  static Twofold at_most(Twofold x, double bound) { return x.high < bound ? x : Twofold{bound, 0}; }
  static Twofold is_zero(Twofold x) { return {x.high == 0 && x.low == 0 ? 1.0 : 0.0, 0}; }

  struct Decay {
    explicit Decay(double by) : rate{by, 0} {}
    Twofold operator()(Twofold x) const { return exp(Twofold{} - rate * x); }
    Twofold rate;
  };
};

}  // namespace mercer
