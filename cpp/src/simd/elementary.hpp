// Roots, logarithms and sines of vectors, as leaves need them. Included by the files of loops only.
#pragma once

#include <cmath>

#include "vectors.hpp"

namespace mercer {
namespace {

template <class T>
inline typename Simd<T>::V root(typename Simd<T>::V x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return __builtin_ia32_sqrtps512_mask(x, x, -1, current_rounding);
  else
    return __builtin_ia32_sqrtpd512_mask(x, x, -1, current_rounding);
#elif defined(__AVX__)
  if constexpr (sizeof(T) == 4)
    return __builtin_ia32_sqrtps256(x);
  else
    return __builtin_ia32_sqrtpd256(x);
#elif defined(__SSE2__)
  if constexpr (sizeof(T) == 4)
    return __builtin_ia32_sqrtps(x);
  else
    return __builtin_ia32_sqrtpd(x);
#else
  for (Index k = 0; k < width<T>; ++k) x[k] = std::sqrt(x[k]);
  return x;
#endif
}

template <class T>
struct Elementary;

template <>
struct Elementary<float> {
  static constexpr float largest = 1e37f;  // one plus it is finite
  static constexpr int bias = 127;
  static constexpr std::int32_t mantissa_bits = 0x007fffff, one = 0x3f800000;
  static constexpr int log_terms = 6, sine_terms = 7;
  static constexpr float whole = 4194304.0f;  // 2^22: from here on the magic number no longer rounds
};

template <>
struct Elementary<double> {
  static constexpr double largest = 1e300;
  static constexpr int bias = 1023;
  static constexpr std::int64_t mantissa_bits = 0x000fffffffffffff, one = 0x3ff0000000000000;
  static constexpr int log_terms = 12, sine_terms = 13;
  static constexpr double whole = 2251799813685248.0;  // 2^51
};

// log(1 + x) for x >= 0: with 1 + x = 2^k m and m within a root of two of one, log m = 2 artanh((m - 1) / (m + 1)).
template <class T>
inline typename Simd<T>::V log_of_one_plus(typename Simd<T>::V x) {
  using S = Simd<T>;
  using E = Elementary<T>;
  using V = typename S::V;
  using I = typename S::I;
  x = x < splat<T>(E::largest) ? x : splat<T>(E::largest);
  const V u = x + T(1);
  const V lost = (x - (u - T(1))) / u;  // of x, in rounding u
  const I bits = reinterpret_cast<I>(u);
  V k = __builtin_convertvector((bits >> S::mantissa) - E::bias, V);
  V m = reinterpret_cast<V>((bits & E::mantissa_bits) | E::one);
  const I upper = m > splat<T>(T(1.4142135623730951));
  m = upper ? m * T(0.5) : m;
  k = upper ? k + T(1) : k;
  const V f = (m - T(1)) / (m + T(1)), square = f * f;
  V series = splat<T>(T(1) / T(2 * E::log_terms + 1));
#pragma GCC unroll 16
  for (int i = E::log_terms - 1; i >= 0; --i) series = series * square + T(1) / T(2 * i + 1);
  return k * S::ln2_high + (T(2) * f * series + (k * S::ln2_low + lost));
}

// sin(pi x) for x >= 0 by its series, up to the sign, which nobody asks for. Beyond where numbers have fractions it is
// 0.
template <class T>
inline typename Simd<T>::V sin_of_pi(typename Simd<T>::V x) {
  using S = Simd<T>;
  using E = Elementary<T>;
  using V = typename S::V;
  x = x < splat<T>(E::whole) ? x : splat<T>(0);
  const V angle = T(3.141592653589793) * (x - ((x + S::magic) - S::magic)), square = angle * angle;
  V series = splat<T>(1);
#pragma GCC unroll 16
  for (int k = E::sine_terms; k >= 1; --k) series = T(1) - square * series * (T(1) / T(2 * k * (2 * k + 1)));
  return angle * series;
}

}  // namespace
}  // namespace mercer
