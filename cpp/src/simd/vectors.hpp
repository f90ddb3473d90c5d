// Vectors of one level: types, loads and stores, the exponential. Included by ops_impl.hpp only.

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
  static constexpr float lowest_exp = -87.0f;
  static constexpr float highest_exp = 88.0f;
  static constexpr float log2e = 1.44269504088896341f;
  static constexpr float ln2_high = 0.693359375f;
  static constexpr float ln2_low = -2.12194440e-4f;
  static constexpr int taylor_terms = 8;
};

template <>
struct Simd<double> {
  using V [[gnu::vector_size(MERCER_VECTOR_BYTES)]] = double;
  using I [[gnu::vector_size(MERCER_VECTOR_BYTES)]] = std::int64_t;
  static constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int mantissa = 52;
  static constexpr double lowest_exp = -708.0;
  static constexpr double highest_exp = 709.0;
  static constexpr double log2e = 1.4426950408889634074;
  static constexpr double ln2_high = 6.93145751953125e-1;
  static constexpr double ln2_low = 1.42860682030941723212e-6;
  static constexpr int taylor_terms = 14;
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
  return typename Simd<T>::V{} + x;
}

// Reads `width<double>` values of T as doubles.
inline Simd<double>::V load_double(const double* p) { return load(p); }
inline Simd<double>::V load_double(const float* p) {
  using Half [[gnu::vector_size(MERCER_VECTOR_BYTES / 2)]] = float;
  Half h;
  std::memcpy(&h, p, sizeof h);
  return __builtin_convertvector(h, Simd<double>::V);
}

template <class T>
constexpr T inverse_factorial(int k) {
  T f = 1;
  for (int i = 2; i <= k; ++i) f *= static_cast<T>(i);
  return T(1) / f;
}

// e^x by x = k ln 2 + r, a Taylor polynomial in r, and k added to the exponent. Below `lowest_exp` it gives 0.
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
  V p = splat<T>(inverse_factorial<T>(S::taylor_terms - 1));
#pragma GCC unroll 16
  for (int i = S::taylor_terms - 2; i >= 0; --i) p = p * r + inverse_factorial<T>(i);
  const I scaled = reinterpret_cast<I>(p) + (reinterpret_cast<I>(shifted) << S::mantissa);
  return x == x ? reinterpret_cast<V>(scaled & ~tiny) : x;
}

template <class T>
inline typename Simd<T>::V absolute(typename Simd<T>::V x) {
  return x < splat<T>(0) ? -x : x;
}

}  // namespace
}  // namespace mercer
