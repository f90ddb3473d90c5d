// Rows in a window around a query: what they weigh, and sums of powers with these weights.
#pragma once

#include "mercer/local_loops.hpp"
#include "vectors.hpp"

namespace mercer {
namespace {

// A window of r in lanes; r is not negative.
template <Window window>
inline Simd<double>::V window_of(Simd<double>::V r) {
  using V = Simd<double>::V;
  const V zero{}, one = splat<double>(1);
  if constexpr (window == Window::tophat) {
    return r <= one ? one : zero;
  } else if constexpr (window == Window::triangular) {
    return larger<double>(one - r, zero);
  } else if constexpr (window == Window::gaussian) {
    return exp<double>(-0.5 * (r * r));
  } else {
    const V inner = larger<double>(one - (window == Window::tricube ? r * r * r : r * r), zero);
    if constexpr (window == Window::epanechnikov) return inner;
    if constexpr (window == Window::biweight) return inner * inner;
    return inner * inner * inner;
  }
}

// Some values, and zeros behind them.
inline Simd<double>::V load_some(const double* p, Index count) {
  double values[width<double>] = {};
  for (Index k = 0; k < count; ++k) values[k] = p[k];
  return load<double>(values);
}

template <Window window, Index order, bool squares>
void line_sums_of(const LineRows& rows, const LinePlace& place, LineSums& sums) {
  using V = Simd<double>::V;
  constexpr Index w = width<double>, powers = 2 * order + 1;
  V weights[powers] = {}, targets[order + 1] = {}, squared[powers] = {};
  const auto take = [&](V x, V y, V prior, V noise) {
    const V weight = prior * window_of<window>(absolute<double>(x - place.query) * place.inverse_radius);
    const V u = (x - place.origin) * place.unit;
    V power = weight;
#pragma GCC unroll 8
    for (Index i = 0; i < powers; ++i) {
      weights[i] += power;
      if (i <= order) targets[i] = plus_product<double>(targets[i], power, y);
      power *= u;
    }
    if constexpr (squares) {
      power = weight * weight * noise;
#pragma GCC unroll 8
      for (Index i = 0; i < powers; ++i) {
        squared[i] += power;
        power *= u;
      }
    }
  };
  Index i = 0;
  for (; i + w <= rows.count; i += w)
    take(load<double>(rows.x + i), load<double>(rows.y + i), load<double>(rows.prior + i),
         squares ? load<double>(rows.noise + i) : V{});
  if (i < rows.count) {
    const Index left = rows.count - i;
    take(load_some(rows.x + i, left), load_some(rows.y + i, left), load_some(rows.prior + i, left),
         squares ? load_some(rows.noise + i, left) : V{});
  }
  for (Index k = 0; k < powers; ++k) {
    sums.weights[k] += sum_of_lanes(weights[k]);
    if (k <= order) sums.targets[k] += sum_of_lanes(targets[k]);
    if constexpr (squares) sums.squares[k] += sum_of_lanes(squared[k]);
  }
}

template <Window window, bool squares>
void line_sums_of_order(Index order, const LineRows& rows, const LinePlace& place, LineSums& sums) {
  if (order == 0) return line_sums_of<window, 0, squares>(rows, place, sums);
  if (order == 1) return line_sums_of<window, 1, squares>(rows, place, sums);
  line_sums_of<window, 2, squares>(rows, place, sums);
}

// Calls body<window>() with the window as a constant.
template <class Body>
inline void with_window(Window window, Body body) {
  switch (window) {
    case Window::tophat: return body.template operator()<Window::tophat>();
    case Window::triangular: return body.template operator()<Window::triangular>();
    case Window::epanechnikov: return body.template operator()<Window::epanechnikov>();
    case Window::biweight: return body.template operator()<Window::biweight>();
    case Window::triweight: return body.template operator()<Window::triweight>();
    case Window::tricube: return body.template operator()<Window::tricube>();
    case Window::gaussian: return body.template operator()<Window::gaussian>();
  }
}

void line_sums(Window window, Index order, bool squares, const LineRows& rows, const LinePlace& place, LineSums& sums) {
  with_window(window, [&]<Window of>() {
    squares ? line_sums_of_order<of, true>(order, rows, place, sums)
            : line_sums_of_order<of, false>(order, rows, place, sums);
  });
}

// The window as a polynomial of t is its Taylor series about the centre of the node, which ends.
void node_sums(const WindowPolynomial& window, const NodePlace& place, std::initializer_list<NodeSums> sums) {
  using V = Simd<double>::V;
  constexpr Index w = width<double>;
  const Index vectors = (window.degree + w) / w;
  // away^degree, ..., away, 1, and zeros behind: term j of coefficient m is the entry m + degree - j.
  double falling[2 * most_coefficients] = {}, steps[most_coefficients] = {};
  double power = 1, step = 1;
  for (Index m = 0; m <= window.degree; ++m) {
    falling[window.degree - m] = power;
    steps[m] = step;
    power *= place.away;
    step *= place.step;
  }
  V coef[most_coefficients / w];
  for (Index v = 0; v < vectors; ++v) {
    V sum{};
    for (Index j = 0; j < window.terms; ++j)
      sum = plus_product<double>(sum, load<double>(window.shifted[j] + v * w),
                                 load<double>(falling + v * w + window.degree - window.powers[j]));
    coef[v] = sum * load<double>(steps + v * w);
  }
  for (const auto& [moments, powers, out] : sums) {
    double raw[most_powers];
    for (Index s = 0; s < powers; ++s) {
      V sum{};
      for (Index v = 0; v < vectors; ++v) sum = plus_product<double>(sum, coef[v], load<double>(moments + s + v * w));
      raw[s] = sum_of_lanes(sum);
    }
    // (shift + spread t)^s, row by row of Pascal's triangle: before step s, raw[i] is sum w u^s t^i.
    for (Index s = 0; s < powers; ++s) {
      out[s] += raw[0];
      for (Index i = 0; i + 1 < powers - s; ++i) raw[i] = place.shift * raw[i] + place.spread * raw[i + 1];
    }
  }
}

void row_moments(const double* x, const double* v, const double* y, Index rows, double centre, double inverse,
                 Index count, double* out) {
  using V = Simd<double>::V;
  constexpr Index w = width<double>;
  V sums[most_moments] = {}, with_y[most_moments] = {};
  for (Index i = 0; i < rows; i += w) {
    const bool whole = i + w <= rows;
    const V t = ((whole ? load<double>(x + i) : load_some(x + i, rows - i)) - centre) * inverse;
    V power = whole ? load<double>(v + i) : load_some(v + i, rows - i);
    V of_y = y ? power * (whole ? load<double>(y + i) : load_some(y + i, rows - i)) : V{};
    for (Index m = 0; m < count; ++m) {
      sums[m] += power;
      power *= t;
      if (y) {
        with_y[m] += of_y;
        of_y *= t;
      }
    }
  }
  for (Index m = 0; m < count; ++m) {
    out[m] = sum_of_lanes(sums[m]);
    if (y) out[count + m] = sum_of_lanes(with_y[m]);
  }
}

inline Simd<double>::V square_root(Simd<double>::V x) {
  Simd<double>::V root;
  for (Index k = 0; k < width<double>; ++k) root[k] = __builtin_sqrt(x[k]);
  return root;
}

template <Window window>
void weights_of(const double* columns, Index ld, Index count, Index d, const double* query, double inverse_radius,
                const double* prior, double* out) {
  using V = Simd<double>::V;
  constexpr Index w = width<double>;
  for (Index i = 0; i < count; i += w) {
    const bool whole = i + w <= count;
    V squared{};
    for (Index k = 0; k < d; ++k) {
      const double* column = columns + k * ld + i;
      // Lanes that are no rows have some distance, which is not written.
      const V apart = ((whole ? load<double>(column) : load_some(column, count - i)) - query[k]) * inverse_radius;
      squared = plus_product<double>(squared, apart, apart);
    }
    V value;
    if constexpr (window == Window::gaussian)
      value = exp<double>(-0.5 * squared);
    else
      value = window_of<window>(square_root(squared));
    if (whole) {
      store<double>(out + i, value * load<double>(prior + i));
    } else {
      for (Index k = 0; k < count - i; ++k) out[i + k] = value[k] * prior[i + k];
    }
  }
}

void window_weights(Window window, const double* columns, Index ld, Index count, Index d, const double* query,
                    double inverse_radius, const double* prior, double* out) {
  with_window(window, [&]<Window of>() { weights_of<of>(columns, ld, count, d, query, inverse_radius, prior, out); });
}

}  // namespace
}  // namespace mercer
