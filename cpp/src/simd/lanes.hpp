// The numbers in which the loops evaluate the formulas of leaves: vectors of T.
#pragma once

#include "elementary.hpp"
#include "vectors.hpp"

namespace mercer {
namespace {

template <class T>
struct Lanes {
  using Number = typename Simd<T>::V;
  using Scalar = T;
  static T scalar(double x) { return static_cast<T>(x); }

  static Number power(Number base, int degree) {
    Number power = splat<T>(1);
    for (int e = degree; e > 0; e >>= 1) {
      if (e & 1) power = power * base;
      if (e > 1) base = base * base;
    }
    return power;
  }

  static Number tanh(Number x) {
    constexpr T bound = sizeof(T) == 4 ? T(10) : T(20);  // it is 1 to the last bit beyond
    x = x > splat<T>(bound) ? splat<T>(bound) : x;
    x = x < splat<T>(-bound) ? splat<T>(-bound) : x;
    return T(1) - T(2) / (exp<T>(T(2) * x) + T(1));
  }

  static Number sqrt(Number x) { return root<T>(x); }
  static Number log1p(Number x) { return log_of_one_plus<T>(x); }
  static Number sin_of_pi(Number x) { return mercer::sin_of_pi<T>(x); }
  static Number at_most(Number x, double bound) {
    return x < splat<T>(static_cast<T>(bound)) ? x : splat<T>(static_cast<T>(bound));
  }
  static Number is_zero(Number x) { return x == splat<T>(0) ? splat<T>(1) : splat<T>(0); }

  // x -> exp(-rate x), through one power of two.
  struct Decay {
    explicit Decay(double by) : rate(-static_cast<T>(by) * Simd<T>::log2e) {}
    Number operator()(Number x) const { return exp2<T>(rate * x); }
    T rate;
  };
};

}  // namespace
}  // namespace mercer
