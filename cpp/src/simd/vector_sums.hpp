// Sums of values of T with double coefficients.
#pragma once

#include "vectors.hpp"

namespace mercer {
namespace {

template <class T>
double weighted_sum(const T* v, const T* coef, Index n) {
  using D = Simd<double>::V;
  constexpr Index w = width<double>;
  D s0{}, s1{};
  Index i = 0;
  for (; i + 2 * w <= n; i += 2 * w) {
    s0 += load_double(v + i) * load_double(coef + i);
    s1 += load_double(v + i + w) * load_double(coef + i + w);
  }
  double sum = sum_of_lanes(s0 + s1);
  for (; i < n; ++i) sum += static_cast<double>(v[i]) * static_cast<double>(coef[i]);
  return sum;
}

template <class T>
void add_scaled(double* out, const T* v, double c, Index n) {
  constexpr Index w = width<double>;
  Index i = 0;
  for (; i + w <= n; i += w) store<double>(out + i, load<double>(out + i) + c * load_double(v + i));
  for (; i < n; ++i) out[i] += c * static_cast<double>(v[i]);
}

// Differences are exact or rounded once in double; some at a time, so that far rows are soon left.
template <class T>
double squared_distance(const T* a, const T* b, Index n, double limit) {
  constexpr Index w = width<double>, at_once = 64;
  double total = 0;
  Index i = 0;
  if (n <= features_one_by_one) {
    for (; i < n; ++i) total = plus_square(total, static_cast<double>(a[i]) - static_cast<double>(b[i]));
    return total;
  }
  while (i < n && total <= limit) {
    const Index end = n - i < at_once ? n : i + at_once;
    Simd<double>::V first{}, second{};
    for (; i + 2 * w <= end; i += 2 * w) {
      const auto one = load_double(a + i) - load_double(b + i), two = load_double(a + i + w) - load_double(b + i + w);
      first += one * one;
      second += two * two;
    }
    for (; i + w <= end; i += w) {
      const auto one = load_double(a + i) - load_double(b + i);
      first += one * one;
    }
    total += sum_of_lanes(first + second);
    for (; i < end; ++i) {
      const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
      total += apart * apart;
    }
  }
  return total;
}

template <class T>
SharedDistance shared_distance(const T* a, const T* b, Index n) {
  using I = Simd<double>::I;
  constexpr Index w = width<double>;
  Simd<double>::V sum{};
  I missing{};
  Index i = 0;
  for (; i + w <= n; i += w) {
    const auto apart = load_double(a + i) - load_double(b + i);
    const I is_number = apart == apart;  // -1 where it is
    const auto kept = reinterpret_cast<Simd<double>::V>(reinterpret_cast<I>(apart) & is_number);
    sum += kept * kept;
    missing += is_number + 1;
  }
  SharedDistance found{sum_of_lanes(sum), i};
  for (Index k = 0; k < w; ++k) found.features -= missing[k];
  for (; i < n; ++i) {
    const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    if (apart != apart) continue;
    found.squared += apart * apart;
    ++found.features;
  }
  return found;
}

}  // namespace
}  // namespace mercer
