// The loops of linear machines. Included by ops_impl.hpp only.

#include "vectors.hpp"

namespace mercer {
namespace {

template <class T>
double dot(const T* v, const double* w, Index n) {
  using D = Simd<double>::V;
  constexpr Index step = width<double>;
  D s0{}, s1{}, s2{}, s3{};
  Index i = 0;
  for (; i + 4 * step <= n; i += 4 * step) {
    s0 = plus_product<double>(s0, load_double(v + i), load<double>(w + i));
    s1 = plus_product<double>(s1, load_double(v + i + step), load<double>(w + i + step));
    s2 = plus_product<double>(s2, load_double(v + i + 2 * step), load<double>(w + i + 2 * step));
    s3 = plus_product<double>(s3, load_double(v + i + 3 * step), load<double>(w + i + 3 * step));
  }
  for (; i + step <= n; i += step) s0 = plus_product<double>(s0, load_double(v + i), load<double>(w + i));
  const D all = (s0 + s1) + (s2 + s3);
  double sum = 0;
  for (Index k = 0; k < step; ++k) sum += all[k];
  for (; i < n; ++i) sum += static_cast<double>(v[i]) * w[i];
  return sum;
}

// Four rows at a time, so that their sums do not wait for themselves.
template <class T>
void dots(const T* const* rows, Index count, const double* w, Index n, double* out) {
  using D = Simd<double>::V;
  constexpr Index together = 4;
  Index r = 0;
  for (; r + together <= count; r += together) {
    D sums[together] = {};
    Index j = 0;
    for (; j + width<double> <= n; j += width<double>) {
      const D wj = load<double>(w + j);
#pragma GCC unroll 4
      for (Index k = 0; k < together; ++k) sums[k] = plus_product<double>(sums[k], load_double(rows[r + k] + j), wj);
    }
    for (Index k = 0; k < together; ++k) {
      double sum = 0;
      for (Index l = 0; l < width<double>; ++l) sum += sums[k][l];
      for (Index rest = j; rest < n; ++rest) sum += static_cast<double>(rows[r + k][rest]) * w[rest];
      out[r + k] = sum;
    }
  }
  for (; r < count; ++r) out[r] = dot<T>(rows[r], w, n);
}

// Rows of the Gram matrix that are summed at once, each over two vectors of columns.
inline constexpr Index gram_rows = 4;

// A tile of `gram_rows` rows from `a` and 2 * width columns from `b`.
template <class T>
inline void gram_tile(const T* panel, Index rows, Index n, T sign, T* G, Index a, Index b) {
  using V = typename Simd<T>::V;
  V sums[gram_rows][2] = {};
  for (Index r = 0; r < rows; ++r) {
    const T* x = panel + r * n;
    const V x0 = load<T>(x + b), x1 = load<T>(x + b + width<T>);
#pragma GCC unroll 4
    for (Index i = 0; i < gram_rows; ++i) {
      const V xa = splat<T>(x[a + i]);
      sums[i][0] = plus_product<T>(sums[i][0], xa, x0);
      sums[i][1] = plus_product<T>(sums[i][1], xa, x1);
    }
  }
  for (Index i = 0; i < gram_rows; ++i) {
    T* out = G + (a + i) * n + b;
    store<T>(out, load<T>(out) + sign * sums[i][0]);
    store<T>(out + width<T>, load<T>(out + width<T>) + sign * sums[i][1]);
  }
}

// Whole tiles reach beyond the diagonal, where nobody reads; what is left of rows and columns is summed one by one.
template <class T>
void add_gram(const T* panel, Index rows, Index n, T sign, T* G) {
  constexpr Index wide = 2 * width<T>;
  const Index whole_rows = n - n % gram_rows, whole_cols = n - n % wide;
  for (Index a = 0; a < whole_rows; a += gram_rows)
    for (Index b = 0; b < whole_cols && b < a + gram_rows; b += wide) gram_tile<T>(panel, rows, n, sign, G, a, b);
  for (Index a = 0; a < n; ++a) {
    const Index summed = a < whole_rows ? whole_cols : 0;
    if (summed > a) continue;
    T* out = G + a * n;
    for (Index r = 0; r < rows; ++r) {
      const T* x = panel + r * n;
      const T xa = sign * x[a];
      for (Index b = summed; b <= a; ++b) out[b] += xa * x[b];
    }
  }
}

// Rows of W that a loop asks for ahead of time: they lie far apart.
inline constexpr Index rows_ahead = 8;
inline constexpr Index doubles_a_line = 8;

// `vectors` vectors of the rows at once, summed in registers.
template <int vectors, class T>
void add_strip(const T* x, const std::int32_t* columns, Index count, const double* W, Index k, double* out) {
  using D = Simd<double>::V;
  D sums[vectors] = {};
  for (Index e = 0; e < count; ++e) {
    if (columns && e + rows_ahead < count)
      for (Index m = 0; m < vectors * width<double>; m += doubles_a_line)
        __builtin_prefetch(W + columns[e + rows_ahead] * k + m);
    const double* row = W + (columns ? columns[e] : e) * k;
    const D xe = splat<double>(static_cast<double>(x[e]));
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v)
      sums[v] = plus_product<double>(sums[v], xe, load<double>(row + v * width<double>));
  }
  for (int v = 0; v < vectors; ++v) {
    double* to = out + v * width<double>;
    store<double>(to, load<double>(to) + sums[v]);
  }
}

template <class T>
void add_rows(const T* x, const std::int32_t* columns, Index count, const double* W, Index k, double* out) {
  constexpr Index step = width<double>;
  Index m = 0;
  for (; m + 8 * step <= k; m += 8 * step) add_strip<8>(x, columns, count, W + m, k, out + m);
  switch ((k - m) / step) {
    case 7: return add_strip<7>(x, columns, count, W + m, k, out + m);
    case 6: return add_strip<6>(x, columns, count, W + m, k, out + m);
    case 5: return add_strip<5>(x, columns, count, W + m, k, out + m);
    case 4: return add_strip<4>(x, columns, count, W + m, k, out + m);
    case 3: return add_strip<3>(x, columns, count, W + m, k, out + m);
    case 2: return add_strip<2>(x, columns, count, W + m, k, out + m);
    case 1: return add_strip<1>(x, columns, count, W + m, k, out + m);
    default: return;
  }
}

// Most of c is zero as a rule, so that few vectors of each row are touched.
template <class T>
void add_outer(const T* x, const std::int32_t* columns, Index count, const double* c, Index k, double* W) {
  using D = Simd<double>::V;
  constexpr Index step = width<double>;
  for (Index first = 0; first < k;) {
    Index places[4];
    D values[4];
    int found = 0;
    for (; first < k && found < 4; first += step) {
      const D own = load<double>(c + first);
      bool is_zero = true;
      for (Index v = 0; v < step; ++v) is_zero = is_zero && own[v] == 0;
      if (!is_zero) places[found] = first, values[found++] = own;
    }
    for (Index e = 0; found > 0 && e < count; ++e) {
      double* row = W + (columns ? columns[e] : e) * k;
      const D xe = splat<double>(static_cast<double>(x[e]));
      for (int v = 0; v < found; ++v) {
        double* to = row + places[v];
        store<double>(to, plus_product<double>(load<double>(to), xe, values[v]));
      }
    }
  }
}

}  // namespace
}  // namespace mercer
