// The hot loops, written once with GCC's vector extensions. Each level's file defines MERCER_VECTOR_BYTES and
// MERCER_LEVEL and includes this. Everything stands in an anonymous namespace and calls nothing outside it, so that the
// linker can never hand code of one level to another.

#include "linear_loops.hpp"
#include "loss_loops.hpp"
#include "vectors.hpp"

namespace mercer {
namespace {

// What is summed over the features of two rows.
template <class T>
struct Dot {
  template <class V>
  static V step(V acc, V a, V b) {
    return plus_product<T>(acc, a, b);
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

// From that sum to a kernel value. `norms` is the sum of both squared norms.
template <class T>
struct Unchanged {
  using V = typename Simd<T>::V;
  explicit Unchanged(const LeafMap<T>&) {}
  V operator()(V sum, V) const { return sum; }
};
template <class T>
struct RbfOfDot {
  using V = typename Simd<T>::V;
  explicit RbfOfDot(const LeafMap<T>& leaf) : rate(-leaf.gamma * Simd<T>::log2e), rounding(leaf.rounding) {}
  V operator()(V dot, V norms) const {
    V squared = norms - T(2) * dot;
    if constexpr (sizeof(T) == 4)
      squared = larger<T>(squared, splat<T>(0));
    else
      squared = squared > rounding * norms ? squared : splat<T>(0);
    return exp2<T>(rate * squared);
  }
  T rate, rounding;
};
template <class T>
struct Exponential {
  using V = typename Simd<T>::V;
  explicit Exponential(const LeafMap<T>& leaf) : rate(-leaf.gamma * Simd<T>::log2e) {}
  V operator()(V distance, V) const { return exp2<T>(rate * distance); }
  T rate;
};
template <class T>
struct Polynomial {
  using V = typename Simd<T>::V;
  explicit Polynomial(const LeafMap<T>& leaf) : gamma(leaf.gamma), coef0(leaf.coef0), degree(leaf.degree) {}
  V operator()(V dot, V) const {
    V base = gamma * dot + coef0, power = splat<T>(1);
    for (int e = degree; e > 0; e >>= 1) {
      if (e & 1) power = power * base;
      if (e > 1) base = base * base;
    }
    return power;
  }
  T gamma, coef0;
  int degree;
};
template <class T>
struct Sigmoid {
  using V = typename Simd<T>::V;
  explicit Sigmoid(const LeafMap<T>& leaf) : gamma(leaf.gamma), coef0(leaf.coef0) {}
  V operator()(V dot, V) const {
    constexpr T bound = sizeof(T) == 4 ? T(10) : T(20);  // tanh is 1 to the last bit beyond it
    V x = gamma * dot + coef0;
    x = x > splat<T>(bound) ? splat<T>(bound) : x;
    x = x < splat<T>(-bound) ? splat<T>(-bound) : x;
    return T(1) - T(2) / (exp<T>(T(2) * x) + T(1));
  }
  T gamma, coef0;
};

// Rows of A held against one panel: as many as the registers take.
inline constexpr Index block_rows = MERCER_BLOCK_ROWS;
template <class T>
inline constexpr Index vectors = lanes<T> / width<T>;

// Features of one panel that stay in the first-level cache while the rows of A go by. Shorter sums round less, too.
inline constexpr Index features_at_once = 256;

// One panel against R rows of A over some features: R x lanes sums in registers, added to what is at `out` where
// `more`. It is a function of its own, never inlined, so that what comes after it does not take registers away from it.
template <class T, class Step, Index R>
[[gnu::noinline]] void panel_block(const T* A, Index stride, Index d, const T* B, bool more, T* out, Index ld) {
  using V = typename Simd<T>::V;
  V acc[R][vectors<T>] = {};
  for (Index k = 0; k < d; ++k) {
    V b[vectors<T>];
#pragma GCC unroll 8
    for (Index v = 0; v < vectors<T>; ++v) b[v] = load<T>(B + k * lanes<T> + v * width<T>);
#pragma GCC unroll 8
    for (Index r = 0; r < R; ++r) {
      const V x = splat<T>(A[r * stride + k]);
#pragma GCC unroll 8
      for (Index v = 0; v < vectors<T>; ++v) acc[r][v] = Step::step(acc[r][v], x, b[v]);
    }
  }
  if (more) {
#pragma GCC unroll 8
    for (Index r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (Index v = 0; v < vectors<T>; ++v) acc[r][v] += load<T>(out + r * ld + v * width<T>);
  }
#pragma GCC unroll 8
  for (Index r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (Index v = 0; v < vectors<T>; ++v) store<T>(out + r * ld + v * width<T>, acc[r][v]);
}

template <class T, class Step, Index R = block_rows>
inline void panel_rows(Index count, const T* A, Index stride, Index d, const T* B, bool more, T* out, Index ld) {
  if (count == R)
    panel_block<T, Step, R>(A, stride, d, B, more, out, ld);
  else if constexpr (R > 1)
    panel_rows<T, Step, R - 1>(count, A, stride, d, B, more, out, ld);
}

// out[a * ld + lane]: panel p against all rows of A.
template <class T, class Step>
inline void panel_sums_of_features(const PanelBlock<T>& in, Index p, T* out, Index ld) {
  Index k = 0;
  do {
    const Index count = in.d - k < features_at_once ? in.d - k : features_at_once;
    for (Index a = 0; a < in.na; a += block_rows)
      panel_rows<T, Step>(in.na - a < block_rows ? in.na - a : block_rows, in.A + a * in.stride + k, in.stride, count,
                          in.B + (p * in.d + k) * lanes<T>, k > 0, out + a * ld, ld);
    k += count;
  } while (k < in.d);
}

// Hands sink(a, p, v, values) the kernel values of row a and vector v of panel p.
template <class T, class Step, class Map, class Sink>
inline void for_each_value(const PanelBlock<T>& in, const Map& map, Sink sink) {
  T sums[rows_at_once * lanes<T>];
  for (Index p = 0; p < in.panels; ++p) {
    panel_sums_of_features<T, Step>(in, p, sums, lanes<T>);
    for (Index v = 0; v < vectors<T>; ++v) {
      const auto B_norms = load<T>(in.B_norms + p * lanes<T> + v * width<T>);
      for (Index a = 0; a < in.na; ++a)
        sink(a, p, v, map(load<T>(sums + a * lanes<T> + v * width<T>), B_norms + in.A_norms[a]));
    }
  }
}

template <class T, class Step, class Map>
void panel_values(const PanelBlock<T>& in, const LeafMap<T>& leaf, T* out, Index ld) {
  for_each_value<T, Step>(in, Map(leaf), [=](Index a, Index p, Index v, auto values) {
    store<T>(out + a * ld + p * lanes<T> + v * width<T>, values);
  });
}

template <class T>
void panel_dots(const PanelBlock<T>& in, const LeafMap<T>&, T* out, Index ld) {
  for (Index p = 0; p < in.panels; ++p) panel_sums_of_features<T, Dot<T>>(in, p, out + p * lanes<T>, ld);
}

inline double sum_of_lanes(Simd<double>::V v) {
  double sum = 0;
  for (Index k = 0; k < width<double>; ++k) sum += v[k];
  return sum;
}

// Sums over a few panels are in T, their sum in double.
template <class T, class Step, class Map>
void panel_sums(const PanelBlock<T>& in, const LeafMap<T>& leaf, const T* coef, double* out) {
  constexpr Index few = 4;
  const Map map(leaf);
  Simd<double>::V totals[rows_at_once] = {};
  for (Index first = 0; first < in.panels; first += few) {
    PanelBlock<T> part = in;
    part.B += first * in.d * lanes<T>;
    part.B_norms += first * lanes<T>;
    part.panels = in.panels - first < few ? in.panels - first : few;
    typename Simd<T>::V sums[rows_at_once];
    for (Index a = 0; a < in.na; ++a) sums[a] = splat<T>(0);
    for_each_value<T, Step>(part, map, [&](Index a, Index p, Index v, auto values) {
      sums[a] += values * load<T>(coef + (first + p) * lanes<T> + v * width<T>);
    });
    for (Index a = 0; a < in.na; ++a) totals[a] += folded(sums[a]);
  }
  for (Index a = 0; a < in.na; ++a) out[a] += sum_of_lanes(totals[a]);
}

// One sparse row against a table of queries: what it adds to each of them.
template <class T>
struct SparseDot {
  template <class V>
  static V step(V acc, V entry, V x) {
    return plus_product<T>(acc, x, entry);
  }
};
template <class T>
struct SparseManhattan {
  template <class V>
  static V step(V acc, V entry, V x) {
    return acc + (absolute<T>(entry - x) - absolute<T>(entry));
  }
};

template <class T>
inline constexpr Index table_vectors = table_lanes<T> / width<T>;

template <class T, class Step, class Map, class Sink>
inline void sparse_block(const SparseBlock<T>& in, const Map& map, Sink sink) {
  using V = typename Simd<T>::V;
  for (Index b = 0; b < in.nb; ++b) {
    V acc[table_vectors<T>] = {};
    for (Index e = in.begin[b]; e < in.begin[b + 1]; ++e) {
      const T* entry = in.table + static_cast<Index>(in.slots[in.columns[e]]) * table_lanes<T>;
      const V x = splat<T>(in.values[e]);
#pragma GCC unroll 8
      for (Index v = 0; v < table_vectors<T>; ++v) acc[v] = Step::step(acc[v], load<T>(entry + v * width<T>), x);
    }
#pragma GCC unroll 8
    for (Index v = 0; v < table_vectors<T>; ++v)
      sink(b, v, map(acc[v] + load<T>(in.offset + v * width<T>), load<T>(in.query_norms + v * width<T>) + in.norms[b]));
  }
}

template <class T, class Step, class Map>
void sparse_values(const SparseBlock<T>& in, const LeafMap<T>& leaf, T* out) {
  sparse_block<T, Step, Map>(
      in, Map(leaf), [=](Index b, Index v, auto values) { store<T>(out + b * table_lanes<T> + v * width<T>, values); });
}

// Sums of a few rows at a time are in T, their sum in double.
template <class T, class Step, class Map>
void sparse_sums(const SparseBlock<T>& in, const LeafMap<T>& leaf, const T* coef, double* out) {
  constexpr Index few = 16;
  const Map map(leaf);
  for (Index first = 0; first < in.nb; first += few) {
    SparseBlock<T> part = in;
    part.begin += first;
    part.norms += first;
    part.nb = in.nb - first < few ? in.nb - first : few;
    typename Simd<T>::V sums[table_vectors<T>] = {};
    sparse_block<T, Step>(part, map, [&](Index b, Index v, auto values) { sums[v] += coef[first + b] * values; });
    for (Index q = 0; q < table_lanes<T>; ++q) out[q] += static_cast<double>(sums[q / width<T>][q % width<T>]);
  }
}

// The lower, or the upper, halves of two vectors, value by value in turn.
template <class T>
inline typename Simd<T>::V interleaved(typename Simd<T>::V a, typename Simd<T>::V b, bool upper) {
  typename Simd<T>::I low{}, high{};
  for (Index k = 0; k < width<T>; ++k) {
    low[k] = static_cast<decltype(low[k] + 0)>(k / 2 + k % 2 * width<T>);
    high[k] = low[k] + static_cast<decltype(low[k] + 0)>(width<T> / 2);
  }
  return upper ? __builtin_shuffle(a, b, high) : __builtin_shuffle(a, b, low);
}

// Squares of vectors: interleaving the first half of the rows with the second, as often as it takes, turns rows into
// columns.
template <class T>
void transpose(const T* in, Index ld_in, Index rows, Index cols, T* out, Index ld_out) {
  constexpr Index w = width<T>;
  using V = typename Simd<T>::V;
  const Index whole_rows = rows / w * w, whole_cols = cols / w * w;
  for (Index c = 0; c < whole_cols; c += w)
    for (Index r = 0; r < whole_rows; r += w) {
      V square[w], next[w];
#pragma GCC unroll 8
      for (Index k = 0; k < w; ++k) square[k] = load<T>(in + (r + k) * ld_in + c);
#pragma GCC unroll 8
      for (Index run = 1; run < w; run *= 2) {
#pragma GCC unroll 8
        for (Index k = 0; k < w / 2; ++k) {
          next[2 * k] = interleaved<T>(square[k], square[k + w / 2], false);
          next[2 * k + 1] = interleaved<T>(square[k], square[k + w / 2], true);
        }
#pragma GCC unroll 8
        for (Index k = 0; k < w; ++k) square[k] = next[k];
      }
#pragma GCC unroll 8
      for (Index k = 0; k < w; ++k) store<T>(out + (c + k) * ld_out + r, square[k]);
    }
  for (Index c = 0; c < cols; ++c)
    for (Index r = c < whole_cols ? whole_rows : 0; r < rows; ++r) out[c * ld_out + r] = in[r * ld_in + c];
}

// sum + x * x, rounded as the loops above round.
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

template <class T>
T self_dot(const T* x, Index d, bool sparse) {
  T total = 0;
  for (Index first = 0; first < d; first += features_at_once) {
    const Index last = sparse || d - first < features_at_once ? d : first + features_at_once;
    T sum = 0;
    for (Index k = first; k < last; ++k) sum = plus_square(sum, x[k]);
    total += sum;
    if (sparse) break;
  }
  return total;
}

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

// Position and value of a running maximum, lane by lane; the lowest index wins a tie.
template <class T>
struct Best {
  typename Simd<T>::V value;
  typename Simd<T>::I index;

  void take(typename Simd<T>::V candidate, typename Simd<T>::I at) {
    const auto better = candidate > value;
    value = better ? candidate : value;
    index = better ? at : index;
  }
};

template <class T>
inline Index position_of_best(const Best<T>& best, T* value) {
  Index at = -1;
  T top = static_cast<T>(-__builtin_inf());
  for (Index k = 0; k < width<T>; ++k)
    if (best.value[k] > top || (best.value[k] == top && at >= 0 && best.index[k] < at)) {
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
    if (values[i] + up_penalty[i] > top) {
      top = values[i] + up_penalty[i];
      at = i;
    }
  }
  return at;
}

template <class T>
Partner<T> best_partner(const T* values, const T* ki, const T* diagonal, T kii, T top, const T* low_penalty,
                        T least_curvature, Index n) {
  constexpr Index w = width<T>;
  using V = typename Simd<T>::V;
  const T size = kii < 0 ? -kii : kii;
  Best<T> best{splat<T>(0), typename Simd<T>::I{} - 1};
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
    if (b * b / a > gain) {
      gain = b * b / a;
      partner.index = i;
    }
  }
  return partner;
}

template <class T>
constexpr Ops<T> table() {
  return {.values = {panel_dots<T>, panel_values<T, Dot<T>, Polynomial<T>>, panel_values<T, Dot<T>, Sigmoid<T>>,
                     panel_values<T, Dot<T>, RbfOfDot<T>>, panel_values<T, Difference, Exponential<T>>,
                     panel_values<T, Manhattan<T>, Exponential<T>>},
          .sums = {panel_sums<T, Dot<T>, Unchanged<T>>, panel_sums<T, Dot<T>, Polynomial<T>>,
                   panel_sums<T, Dot<T>, Sigmoid<T>>, panel_sums<T, Dot<T>, RbfOfDot<T>>,
                   panel_sums<T, Difference, Exponential<T>>, panel_sums<T, Manhattan<T>, Exponential<T>>},
          .sparse_values = {sparse_values<T, SparseDot<T>, Unchanged<T>>, sparse_values<T, SparseDot<T>, Polynomial<T>>,
                            sparse_values<T, SparseDot<T>, Sigmoid<T>>, sparse_values<T, SparseDot<T>, RbfOfDot<T>>,
                            nullptr, sparse_values<T, SparseManhattan<T>, Exponential<T>>},
          .sparse_sums = {sparse_sums<T, SparseDot<T>, Unchanged<T>>, sparse_sums<T, SparseDot<T>, Polynomial<T>>,
                          sparse_sums<T, SparseDot<T>, Sigmoid<T>>, sparse_sums<T, SparseDot<T>, RbfOfDot<T>>, nullptr,
                          sparse_sums<T, SparseManhattan<T>, Exponential<T>>},
          .self_dot = self_dot<T>,
          .transpose = transpose<T>,
          .weighted_sum = weighted_sum<T>,
          .add_scaled = add_scaled<T>,
          .dot = dot<T>,
          .dots = dots<T>,
          .add_gram = add_gram<T>,
          .add_rows = add_rows<T>,
          .add_outer = add_outer<T>,
          .update_and_argmax = update_and_argmax<T>,
          .best_partner = best_partner<T>};
}

}  // namespace

extern const Ops<float> MERCER_LEVEL(float);
extern const Ops<double> MERCER_LEVEL(double);
extern const LossOps MERCER_LEVEL(losses);
const Ops<float> MERCER_LEVEL(float) = table<float>();
const Ops<double> MERCER_LEVEL(double) = table<double>();
const LossOps MERCER_LEVEL(losses) = {.begin = begin_losses, .slope = slope_of_losses, .settle = settle_any_losses};

}  // namespace mercer
