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

}  // namespace
}  // namespace mercer
