// The hot loops, written once with GCC's vector extensions. Each level's file defines MERCER_VECTOR_BYTES and
// MERCER_LEVEL and includes this. Everything stands in an anonymous namespace and calls nothing outside it, so that the
// linker can never hand code of one level to another.

#include "vectors.hpp"

namespace mercer {
namespace {

struct Dot {
  template <class V>
  static V step(V acc, V a, V b) {
    return acc + a * b;
  }
};
template <class T>
struct Manhattan {
  template <class V>
  static V step(V acc, V a, V b) {
    return acc + absolute<T>(a - b);
  }
};

struct Difference {
  template <class V>
  static V step(V acc, V a, V b) {
    return acc + (a - b) * (a - b);
  }
};

// Rows of A held against one panel: as many as the registers take.
inline constexpr Index block_rows = MERCER_BLOCK_ROWS;

// One panel against R rows of A: R x lanes accumulators in registers.
template <class T, class Step, Index R>
inline void panel_block(const T* A, Index d, const T* B, T* out, Index ld) {
  using V = typename Simd<T>::V;
  constexpr Index vectors = lanes<T> / width<T>;
  V acc[R][vectors] = {};
  for (Index k = 0; k < d; ++k) {
    V b[vectors];
#pragma GCC unroll 8
    for (Index v = 0; v < vectors; ++v) b[v] = load<T>(B + k * lanes<T> + v * width<T>);
#pragma GCC unroll 8
    for (Index a = 0; a < R; ++a) {
      const V x = splat<T>(A[a * d + k]);
#pragma GCC unroll 8
      for (Index v = 0; v < vectors; ++v) acc[a][v] = Step::step(acc[a][v], x, b[v]);
    }
  }
#pragma GCC unroll 8
  for (Index a = 0; a < R; ++a)
#pragma GCC unroll 8
    for (Index v = 0; v < vectors; ++v) store<T>(out + a * ld + v * width<T>, acc[a][v]);
}

template <class T, class Step, Index R = block_rows>
inline void panel_rows(Index na, const T* A, Index d, const T* B, T* out, Index ld) {
  if (na == R)
    panel_block<T, Step, R>(A, d, B, out, ld);
  else if constexpr (R > 1)
    panel_rows<T, Step, R - 1>(na, A, d, B, out, ld);
}

template <class T, class Step>
void panels_against(const T* A, Index na, Index d, const T* B, Index panels, T* out, Index ld) {
  for (Index p = 0; p < panels; ++p)
    for (Index a = 0; a < na; a += block_rows) {
      const Index count = na - a < block_rows ? na - a : block_rows;
      panel_rows<T, Step>(count, A + a * d, d, B + p * d * lanes<T>, out + a * ld + p * lanes<T>, ld);
    }
}

template <class T>
void dots(const T* A, Index na, Index d, const T* B, Index panels, T* out, Index ld) {
  panels_against<T, Dot>(A, na, d, B, panels, out, ld);
}
template <class T>
void manhattan(const T* A, Index na, Index d, const T* B, Index panels, T* out, Index ld) {
  panels_against<T, Manhattan<T>>(A, na, d, B, panels, out, ld);
}

template <class T>
void differences(const T* A, Index na, Index d, const T* B, Index panels, T* out, Index ld) {
  panels_against<T, Difference>(A, na, d, B, panels, out, ld);
}

template <class T>
void sparse_dots(const T* table, const std::int32_t* slots, const std::int32_t* columns, const T* values, Index nnz,
                 T* acc) {
  using V = typename Simd<T>::V;
  constexpr Index vectors = lanes<T> / width<T>;
  V sum[vectors] = {};
  for (Index k = 0; k < nnz; ++k) {
    const std::int32_t slot = slots[columns[k]];
    if (slot == 0) continue;
    const T* entry = table + static_cast<Index>(slot) * lanes<T>;
    const V x = splat<T>(values[k]);
#pragma GCC unroll 8
    for (Index v = 0; v < vectors; ++v) sum[v] += x * load<T>(entry + v * width<T>);
  }
  for (Index v = 0; v < vectors; ++v) store<T>(acc + v * width<T>, sum[v]);
}

template <class T>
void sparse_manhattan(const T* table, const std::int32_t* slots, const std::int32_t* columns, const T* values,
                      Index nnz, T* acc) {
  using V = typename Simd<T>::V;
  constexpr Index vectors = lanes<T> / width<T>;
  V sum[vectors] = {};
  for (Index k = 0; k < nnz; ++k) {
    const T* entry = table + static_cast<Index>(slots[columns[k]]) * lanes<T>;
    const V x = splat<T>(values[k]);
    for (Index v = 0; v < vectors; ++v) {
      const V e = load<T>(entry + v * width<T>);
      sum[v] += absolute<T>(e - x) - absolute<T>(e);
    }
  }
  for (Index v = 0; v < vectors; ++v) store<T>(acc + v * width<T>, sum[v]);
}

// Applies f to n values at p; the tail goes through a padded buffer.
template <class T, class F>
inline void map(T* p, Index n, F f) {
  Index i = 0;
  for (; i + width<T> <= n; i += width<T>) store<T>(p + i, f(load<T>(p + i), i));
  if (i < n) {
    T tail[width<T>] = {};
    for (Index k = i; k < n; ++k) tail[k - i] = p[k];
    store<T>(tail, f(load<T>(tail), i));
    for (Index k = i; k < n; ++k) p[k] = tail[k - i];
  }
}

// `norms` is padded to whole vectors by its owner.
template <class T>
void map_rbf(T* v, Index n, T norm, const T* norms, T gamma, T rounding) {
  map<T>(v, n, [=](auto dot, Index i) {
    const auto sum = norm + load<T>(norms + i);
    auto squared = sum - T(2) * dot;
    squared = squared > rounding * sum ? squared : splat<T>(0);
    return exp<T>(-gamma * squared);
  });
}

template <class T>
void map_exponential(T* v, Index n, T gamma) {
  map<T>(v, n, [=](auto distance, Index) { return exp<T>(-gamma * distance); });
}

template <class T>
void map_polynomial(T* v, Index n, T gamma, T coef0, int degree) {
  map<T>(v, n, [=](auto dot, Index) {
    auto base = gamma * dot + coef0;
    auto power = splat<T>(1);
    for (int e = degree; e > 0; e >>= 1) {
      if (e & 1) power = power * base;
      if (e > 1) base = base * base;
    }
    return power;
  });
}

template <class T>
void map_sigmoid(T* v, Index n, T gamma, T coef0) {
  constexpr T bound = sizeof(T) == 4 ? T(10) : T(20);  // tanh is 1 to the last bit beyond it
  map<T>(v, n, [=](auto dot, Index) {
    auto x = gamma * dot + coef0;
    x = x > splat<T>(bound) ? splat<T>(bound) : x;
    x = x < splat<T>(-bound) ? splat<T>(-bound) : x;
    return T(1) - T(2) / (exp<T>(T(2) * x) + T(1));
  });
}

template <class T>
double weighted_sum(const T* v, const double* coef, Index n) {
  using D = Simd<double>::V;
  constexpr Index w = width<double>;
  D s0{}, s1{};
  Index i = 0;
  for (; i + 2 * w <= n; i += 2 * w) {
    s0 += load_double(v + i) * load<double>(coef + i);
    s1 += load_double(v + i + w) * load<double>(coef + i + w);
  }
  s0 += s1;
  double sum = 0;
  for (Index k = 0; k < w; ++k) sum += s0[k];
  for (; i < n; ++i) sum += static_cast<double>(v[i]) * coef[i];
  return sum;
}

template <class T>
void add_scaled(double* out, const T* v, double c, Index n) {
  constexpr Index w = width<double>;
  Index i = 0;
  for (; i + w <= n; i += w) store<double>(out + i, load<double>(out + i) + c * load_double(v + i));
  for (; i < n; ++i) out[i] += c * static_cast<double>(v[i]);
}

// Position and value of a running maximum, lane by lane; the lowest index wins a tie.
struct Best {
  Simd<double>::V value;
  Simd<double>::I index;
};

inline Index position_of_best(const Best& best, double* value) {
  Index at = -1;
  double top = -__builtin_inf();
  for (Index k = 0; k < width<double>; ++k)
    if (best.value[k] > top || (best.value[k] == top && at >= 0 && best.index[k] < at)) {
      top = best.value[k];
      at = best.index[k];
    }
  *value = top;
  return at;
}

inline Simd<double>::I first_indices() {
  Simd<double>::I index{};
  for (Index k = 0; k < width<double>; ++k) index[k] = k;
  return index;
}

template <class T>
Index update_and_argmax(double* values, const T* ki, const T* kj, double t, const double* up_penalty, Index n) {
  constexpr Index w = width<double>;
  Best best{splat<double>(-__builtin_inf()), first_indices()};
  Simd<double>::I index = first_indices();
  Index i = 0;
  for (; i + w <= n; i += w, index += w) {
    const auto moved = load<double>(values + i) - t * (load_double(ki + i) - load_double(kj + i));
    store<double>(values + i, moved);
    const auto candidate = moved + load<double>(up_penalty + i);
    const auto better = candidate > best.value;
    best.value = better ? candidate : best.value;
    best.index = better ? index : best.index;
  }
  double top;
  Index at = position_of_best(best, &top);
  for (; i < n; ++i) {
    values[i] -= t * (static_cast<double>(ki[i]) - static_cast<double>(kj[i]));
    if (values[i] + up_penalty[i] > top) {
      top = values[i] + up_penalty[i];
      at = i;
    }
  }
  return at;
}

template <class T>
Partner best_partner(const double* values, const T* ki, const double* diagonal, double kii, double top,
                     const double* low_penalty, double least_curvature, Index n) {
  constexpr Index w = width<double>;
  using D = Simd<double>::V;
  const double size = __builtin_fabs(kii);
  Best best{splat<double>(0), Simd<double>::I{} - 1};
  D lowest = splat<double>(__builtin_inf());
  Simd<double>::I index = first_indices();
  Index i = 0;
  for (; i + w <= n; i += w, index += w) {
    const D value = load<double>(values + i) + load<double>(low_penalty + i);
    lowest = value < lowest ? value : lowest;
    D b = top - value;
    b = b > splat<double>(0) ? b : splat<double>(0);
    const D kjj = load<double>(diagonal + i);
    const D least = least_curvature * (size + absolute<double>(kjj));
    D a = (kii + kjj) - 2.0 * load_double(ki + i);
    a = a > least ? a : least;
    const D gain = b * b / a;
    const auto better = gain > best.value;
    best.value = better ? gain : best.value;
    best.index = better ? index : best.index;
  }
  double gain;
  Partner partner{position_of_best(best, &gain), __builtin_inf()};
  for (Index k = 0; k < w; ++k) partner.lowest = lowest[k] < partner.lowest ? lowest[k] : partner.lowest;
  for (; i < n; ++i) {
    const double value = values[i] + low_penalty[i];
    if (value < partner.lowest) partner.lowest = value;
    const double b = top - value;
    if (!(b > 0)) continue;
    const double least = least_curvature * (size + __builtin_fabs(diagonal[i]));
    double a = (kii + diagonal[i]) - 2.0 * static_cast<double>(ki[i]);
    if (!(a > least)) a = least;
    if (b * b / a > gain) {
      gain = b * b / a;
      partner.index = i;
    }
  }
  return partner;
}

template <class T>
constexpr Ops<T> table() {
  return {.dots = dots<T>,
          .manhattan = manhattan<T>,
          .differences = differences<T>,
          .sparse_dots = sparse_dots<T>,
          .sparse_manhattan = sparse_manhattan<T>,
          .map_rbf = map_rbf<T>,
          .map_exponential = map_exponential<T>,
          .map_polynomial = map_polynomial<T>,
          .map_sigmoid = map_sigmoid<T>,
          .weighted_sum = weighted_sum<T>,
          .add_scaled = add_scaled<T>,
          .update_and_argmax = update_and_argmax<T>,
          .best_partner = best_partner<T>};
}

}  // namespace

extern const Ops<float> MERCER_LEVEL(float);
extern const Ops<double> MERCER_LEVEL(double);
const Ops<float> MERCER_LEVEL(float) = table<float>();
const Ops<double> MERCER_LEVEL(double) = table<double>();

}  // namespace mercer
