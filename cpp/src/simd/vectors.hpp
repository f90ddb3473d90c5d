// Vectors of one level: types, loads and stores, the exponential. Included by the files of loops only.
#pragma once

#include <cstring>

#include "mercer/simd.hpp"

namespace mercer {
namespace {

template <class T>
struct Simd;

template <>
struct Simd<float> {
  using V [[gnu::vector_size(MERCER_VECTOR_BYTES)]] = float;
  using I [[gnu::vector_size(MERCER_VECTOR_BYTES)]] = std::int32_t;
  static constexpr float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer kept in the low bits
  static constexpr int mantissa = 23;
  static constexpr float lowest_exponent = -126;
  static constexpr float lowest_exp = -87.0f;
  static constexpr float highest_exp = 88.0f;
  static constexpr float log2e = 1.44269504088896341f;
  static constexpr float ln2_high = 0.693359375f;
  static constexpr float ln2_low = -2.12194440e-4f;
  // The minimax polynomial of 2^x on [-1/2, 1/2]: relative error 2e-9.
  static constexpr float power_of_two[] = {1.0f,
                                           0.69314720573719575f,
                                           0.24022646890645521f,
                                           0.055503287771053248f,
                                           0.0096184889563311816f,
                                           0.0013399931177239738f,
                                           0.00015345812161311630f};
};

template <>
struct Simd<double> {
  using V [[gnu::vector_size(MERCER_VECTOR_BYTES)]] = double;
  using I [[gnu::vector_size(MERCER_VECTOR_BYTES)]] = std::int64_t;
  static constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int mantissa = 52;
  static constexpr double lowest_exponent = -1022;
  static constexpr double lowest_exp = -708.0;
  static constexpr double highest_exp = 709.0;
  static constexpr double log2e = 1.4426950408889634074;
  static constexpr double ln2_high = 6.93145751953125e-1;
  static constexpr double ln2_low = 1.42860682030941723212e-6;
  // The same to a relative error of 3e-18.
  static constexpr double power_of_two[] = {1.0,
                                            0.69314718055994533046,
                                            0.24022650695910156204,
                                            0.055504108664819921605,
                                            0.0096181291075883352443,
                                            0.0013333558146789921722,
                                            0.00015403530462514432062,
                                            0.000015252733489988525649,
                                            1.321543308967639918e-6,
                                            1.0178198021671930844e-7,
                                            7.0741056135081427963e-9,
                                            4.4352827069572771511e-10};
};

template <class T>
inline constexpr Index width = MERCER_VECTOR_BYTES / static_cast<Index>(sizeof(T));

template <class T>
inline typename Simd<T>::V load(const T* p) {
  typename Simd<T>::V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void store(T* p, typename Simd<T>::V v) {
  std::memcpy(p, &v, sizeof v);
}
template <class T>
inline typename Simd<T>::V splat(T x) {
  return x - typename Simd<T>::V{};  // not 0 + x, which is an addition: it turns -0 into 0
}

// How the instructions of AVX-512 round: as all others do.
inline constexpr int current_rounding = 4;

// Reads `width<double>` values of T as doubles.
inline Simd<double>::V load_double(const double* p) { return load(p); }
inline Simd<double>::V load_double(const float* p) {
  using Half [[gnu::vector_size(MERCER_VECTOR_BYTES / 2)]] = float;
  Half h;
  std::memcpy(&h, p, sizeof h);
  return __builtin_convertvector(h, Simd<double>::V);
}

// sum + a * b, rounded once where the level can. Said outright: whether GCC fuses by itself depends on how it
// optimises, and rows must have distance zero from themselves.
template <class T>
inline typename Simd<T>::V plus_product(typename Simd<T>::V sum, typename Simd<T>::V a, typename Simd<T>::V b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return __builtin_ia32_vfmaddps512_mask(a, b, sum, -1, current_rounding);
  else
    return __builtin_ia32_vfmaddpd512_mask(a, b, sum, -1, current_rounding);
#elif defined(__FMA__) && defined(__AVX__)
  if constexpr (sizeof(T) == 4)
    return __builtin_ia32_vfmaddps256(a, b, sum);
  else
    return __builtin_ia32_vfmaddpd256(a, b, sum);
#else
  return sum + a * b;
#endif
}

// sum + x * x, rounded as the loops over panels and sparse rows round.
template <class T>
inline T plus_square(T sum, T x) {
#ifdef __FMA__
  if constexpr (sizeof(T) == 4)
    return __builtin_fmaf(x, x, sum);
  else
    return __builtin_fma(x, x, sum);
#else
  return sum + x * x;
#endif
}

// Adds the lanes of v to doubles: lane k and lane k + width<double> go to the same one.
inline Simd<double>::V folded(Simd<double>::V v) { return v; }
inline Simd<double>::V folded(Simd<float>::V v) {
  float lanes_of_v[width<float>];
  std::memcpy(lanes_of_v, &v, sizeof v);
  return load_double(lanes_of_v) + load_double(lanes_of_v + width<double>);
}

inline double sum_of_lanes(Simd<double>::V v) {
  double sum = 0;
  for (Index k = 0; k < width<double>; ++k) sum += v[k];
  return sum;
}

// The larger of each two; y where one is not a number. GCC does not find the one instruction by itself.
template <class T>
inline typename Simd<T>::V larger(typename Simd<T>::V x, typename Simd<T>::V y) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return __builtin_ia32_maxps512_mask(x, y, x, -1, current_rounding);
  else
    return __builtin_ia32_maxpd512_mask(x, y, x, -1, current_rounding);
#elif defined(__AVX__)
  if constexpr (sizeof(T) == 4)
    return __builtin_ia32_maxps256(x, y);
  else
    return __builtin_ia32_maxpd256(x, y);
#elif defined(__SSE2__)
  if constexpr (sizeof(T) == 4)
    return __builtin_ia32_maxps(x, y);
  else
    return __builtin_ia32_maxpd(x, y);
#else
  return x > y ? x : y;
#endif
}

// A bit for each lane of x that is no larger than that of y.
template <class T>
inline std::uint64_t lanes_at_most(typename Simd<T>::V x, typename Simd<T>::V y) {
#if defined(__AVX512F__)
  constexpr int less_or_equal = 2;
  if constexpr (sizeof(T) == 4)
    return static_cast<std::uint16_t>(__builtin_ia32_cmpps512_mask(x, y, less_or_equal, -1, current_rounding));
  else
    return static_cast<std::uint8_t>(__builtin_ia32_cmppd512_mask(x, y, less_or_equal, -1, current_rounding));
#else
  const typename Simd<T>::I is = x <= y;
#if defined(__AVX__)
  if constexpr (sizeof(T) == 4)
    return static_cast<std::uint64_t>(__builtin_ia32_movmskps256(reinterpret_cast<typename Simd<T>::V>(is)));
  else
    return static_cast<std::uint64_t>(__builtin_ia32_movmskpd256(reinterpret_cast<typename Simd<T>::V>(is)));
#else
  std::uint64_t bits = 0;
  for (Index k = 0; k < width<T>; ++k) bits |= static_cast<std::uint64_t>(is[k] != 0) << k;
  return bits;
#endif
#endif
}

// 2^r times 2^k for |r| <= 1/2, where `shifted` is k + magic.
template <class T>
inline typename Simd<T>::V scaled_power(typename Simd<T>::V r, typename Simd<T>::V shifted) {
  using S = Simd<T>;
  constexpr int terms = sizeof(S::power_of_two) / sizeof(T);
  typename S::V p = splat<T>(S::power_of_two[terms - 1]);
#pragma GCC unroll 16
  for (int i = terms - 2; i >= 0; --i) p = p * r + S::power_of_two[i];
  using I = typename S::I;
  return reinterpret_cast<typename S::V>(reinterpret_cast<I>(p) + (reinterpret_cast<I>(shifted) << S::mantissa));
}

// 2^x for x <= 0. Below the least normal number it gives 0.
template <class T>
inline typename Simd<T>::V exp2(typename Simd<T>::V x) {
  using S = Simd<T>;
  const typename S::I tiny = x < splat<T>(S::lowest_exponent);
  x = larger<T>(x, splat<T>(S::lowest_exponent));
  const typename S::V shifted = x + S::magic;
  const typename S::V power = scaled_power<T>(x - (shifted - S::magic), shifted);
  return reinterpret_cast<typename S::V>(reinterpret_cast<typename S::I>(power) & ~tiny);
}

// e^x exact to rounding, by x = k ln 2 + r. Below `lowest_exp` it gives 0.
template <class T>
inline typename Simd<T>::V exp(typename Simd<T>::V x) {
  using S = Simd<T>;
  using V = typename S::V;
  using I = typename S::I;
  const I tiny = x < splat<T>(S::lowest_exp);
  x = tiny ? splat<T>(S::lowest_exp) : x;
  x = x > splat<T>(S::highest_exp) ? splat<T>(S::highest_exp) : x;
  const V shifted = x * S::log2e + S::magic;
  const V k = shifted - S::magic;
  const V r = (x - k * S::ln2_high) - k * S::ln2_low;
  const V power = scaled_power<T>(r * S::log2e, shifted);
  return x == x ? reinterpret_cast<V>(reinterpret_cast<I>(power) & ~tiny) : x;
}

template <class T>
inline typename Simd<T>::V absolute(typename Simd<T>::V x) {
  using S = Simd<T>;
  return reinterpret_cast<typename S::V>(reinterpret_cast<typename S::I>(x) &
                                         ~reinterpret_cast<typename S::I>(splat<T>(-T{0})));
}

}  // namespace
}  // namespace mercer
