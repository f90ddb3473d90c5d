// The two loops of a two-variable step.
#pragma once

#include "vectors.hpp"

namespace mercer {
namespace {

// Position and value of a running maximum, lane by lane; the highest index wins a tie, as in LIBSVM, so that small data
// with rows that are alike take the same steps.
template <class T>
struct Best {
  typename Simd<T>::V value;
  typename Simd<T>::I index;

  void take(typename Simd<T>::V candidate, typename Simd<T>::I at) {
    const auto better = candidate >= value;
    value = better ? candidate : value;
    index = better ? at : index;
  }
};

template <class T>
inline Index position_of_best(const Best<T>& best, T* value) {
  Index at = -1;
  T top = static_cast<T>(-__builtin_inf());
  for (Index k = 0; k < width<T>; ++k)
    if (best.value[k] > top || (best.value[k] == top && at >= 0 && best.index[k] > at)) {
      top = best.value[k];
      at = best.index[k];
    }
  *value = top;
  return at;
}

template <class T>
inline typename Simd<T>::I first_indices() {
  typename Simd<T>::I index{};
  for (Index k = 0; k < width<T>; ++k) index[k] = static_cast<decltype(index[k] + 0)>(k);
  return index;
}

template <class T>
Index update_and_argmax(T* values, const T* ki, const T* kj, T t, const T* up_penalty, Index n) {
  constexpr Index w = width<T>;
  Best<T> best{splat<T>(static_cast<T>(-__builtin_inf())), first_indices<T>()};
  typename Simd<T>::I index = first_indices<T>();
  Index i = 0;
  for (; i + w <= n; i += w, index += w) {
    const auto moved = load<T>(values + i) - t * (load<T>(ki + i) - load<T>(kj + i));
    store<T>(values + i, moved);
    best.take(moved + load<T>(up_penalty + i), index);
  }
  T top;
  Index at = position_of_best<T>(best, &top);
  for (; i < n; ++i) {
    values[i] -= t * (ki[i] - kj[i]);
    if (const T gained = values[i] + up_penalty[i]; gained >= top && gained > static_cast<T>(-__builtin_inf())) {
      top = values[i] + up_penalty[i];
      at = i;
    }
  }
  return at;
}

// What a partner gains at least: rows that gain nothing are none.
template <class T>
constexpr T least_gain = sizeof(T) == 4 ? static_cast<T>(1e-37) : static_cast<T>(1e-300);

template <class T>
Partner<T> best_partner(const T* values, const T* ki, const T* diagonal, T kii, T top, const T* low_penalty,
                        T least_curvature, Index n) {
  constexpr Index w = width<T>;
  using V = typename Simd<T>::V;
  const T size = kii < 0 ? -kii : kii;
  Best<T> best{splat<T>(least_gain<T>), typename Simd<T>::I{} - 1};
  V highest = splat<T>(static_cast<T>(-__builtin_inf()));  // of the values negated
  typename Simd<T>::I index = first_indices<T>();
  Index i = 0;
  for (; i + w <= n; i += w, index += w) {
    const V value = load<T>(values + i) + load<T>(low_penalty + i);
    highest = larger<T>(highest, -value);
    const V b = larger<T>(top - value, splat<T>(0));
    const V kjj = load<T>(diagonal + i);
    const V least = least_curvature * (size + absolute<T>(kjj));
    best.take(b * b / larger<T>((kii + kjj) - T(2) * load<T>(ki + i), least), index);
  }
  T gain;
  Partner<T> partner{position_of_best<T>(best, &gain), static_cast<T>(__builtin_inf())};
  for (Index k = 0; k < w; ++k) partner.lowest = -highest[k] < partner.lowest ? -highest[k] : partner.lowest;
  for (; i < n; ++i) {
    const T value = values[i] + low_penalty[i];
    if (value < partner.lowest) partner.lowest = value;
    const T b = top - value;
    if (!(b > 0)) continue;
    const T kjj = diagonal[i], least = least_curvature * (size + (kjj < 0 ? -kjj : kjj));
    T a = (kii + kjj) - T(2) * ki[i];
    if (!(a > least)) a = least;
    if (b * b / a >= gain) {
      gain = b * b / a;
      partner.index = i;
    }
  }
  return partner;
}

}  // namespace
}  // namespace mercer
