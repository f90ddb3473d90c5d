// Values of windows at squared distances, and their sums with coefficients.
#pragma once

#include "elementary.hpp"
#include "mercer/window_loops.hpp"
#include "panel_loops.hpp"

namespace mercer {
namespace {

using Reals = Simd<double>::V;

// Values below this are raised to it before they are squared: their squares are below the least normal number, which
// would take long, and count nothing beside the nearest row's, which is one.
inline constexpr double least_square_root = 0x1p-500;

template <Profile profile>
struct Window;

template <>
struct Window<Profile::gaussian> {
  explicit Window(const WindowChain& chain) : factor(chain.factor), shift(chain.shift) {}
  Reals operator()(Reals s) const { return exp2<double>((factor * s - shift) * (-0.5 * Simd<double>::log2e)); }
  double factor, shift;
};
template <>
struct Window<Profile::exponential> {
  explicit Window(const WindowChain& chain) : factor(chain.factor), shift(chain.shift) {}
  Reals operator()(Reals s) const { return exp2<double>((root<double>(factor * s) - shift) * -Simd<double>::log2e); }
  double factor, shift;
};
template <>
struct Window<Profile::epanechnikov> {
  explicit Window(const WindowChain& chain) : factor(chain.factor) {}
  Reals operator()(Reals s) const { return larger<double>(1.0 - factor * s, splat<double>(0)); }
  double factor;
};
template <>
struct Window<Profile::triangular> {
  explicit Window(const WindowChain& chain) : factor(chain.factor) {}
  Reals operator()(Reals s) const { return larger<double>(1.0 - root<double>(factor * s), splat<double>(0)); }
  double factor;
};
// sin(pi/2 v) at v = 1 - sqrt s, by its series: exact at the edge, and to rounding elsewhere.
template <>
struct Window<Profile::cosine> {
  explicit Window(const WindowChain& chain) : factor(chain.factor) {}
  Reals operator()(Reals s) const {
    constexpr double half_pi = 1.57079632679489661923;
    constexpr int terms = 12;
    const Reals x = half_pi * larger<double>(1.0 - root<double>(factor * s), splat<double>(0)), square = x * x;
    Reals sum = splat<double>(1);
#pragma GCC unroll 16
    for (int k = terms - 1; k > 0; --k) sum = 1.0 - sum * square * (1.0 / (2.0 * k * (2.0 * k + 1.0)));
    return x * sum;
  }
  double factor;
};
template <>
struct Window<Profile::tophat> {
  explicit Window(const WindowChain& chain) : reach(chain.factor) {}
  Reals operator()(Reals s) const {
    return reinterpret_cast<Reals>((s <= splat<double>(reach)) & reinterpret_cast<Simd<double>::I>(splat<double>(1)));
  }
  double reach;
};

// The values of some vectors of rows, and of their squares, added to the sums of each output.
template <Index vectors, class Window>
inline void add_vectors(const Window& window, const WindowRow& row, Index i, Index links, double* to) {
  constexpr Index w = width<double>;
  Reals values[vectors];
  for (Index v = 0; v < vectors; ++v)
    values[v] = window(load<double>(row.squared + i + v * w) * load<double>(row.scale + i + v * w));
  for (Index link = 0;; ++link) {
    for (Index output = 0; output < row.outputs; ++output, to += lanes<double>) {
      const double* coef = row.coef + output * row.stride + i;
      Reals sum = load<double>(to);
      for (Index v = 0; v < vectors; ++v) sum = plus_product<double>(sum, values[v], load<double>(coef + v * w));
      store<double>(to, sum);
    }
    if (link + 1 == links) break;
    for (Index v = 0; v < vectors; ++v) {
      values[v] = larger<double>(values[v], splat<double>(least_square_root));
      values[v] = values[v] * values[v];
    }
  }
}

// Two vectors at a time, so that sums are read and written half as often; there may be an odd one in the end.
template <Profile profile>
void add_window(const WindowRow& row, const WindowChain& chain, double* sums) {
  constexpr Index w = width<double>;
  const Window<profile> window(chain);
  Index i = 0;
  for (; i + 2 * w <= row.count; i += 2 * w) add_vectors<2>(window, row, i, chain.links, sums);
  if (i < row.count) add_vectors<1>(window, row, i, chain.links, sums);
}

void add_any_window(const WindowRow& row, const WindowChain& chain, double* sums) {
  switch (chain.profile) {
    case Profile::gaussian: return add_window<Profile::gaussian>(row, chain, sums);
    case Profile::exponential: return add_window<Profile::exponential>(row, chain, sums);
    case Profile::epanechnikov: return add_window<Profile::epanechnikov>(row, chain, sums);
    case Profile::triangular: return add_window<Profile::triangular>(row, chain, sums);
    case Profile::cosine: return add_window<Profile::cosine>(row, chain, sums);
    case Profile::tophat: return add_window<Profile::tophat>(row, chain, sums);
  }
}

void squared_distances(const PanelBlock<double>& in, bool by_differences, double* out, Index ld) {
  const auto keep = [=](Index a, Index p, Index v, Reals values) {
    store<double>(out + a * ld + p * lanes<double> + v * width<double>, values);
  };
  if (by_differences)
    for_each_value<double, DifferenceStep>(in, Total<double>(0), keep);
  else
    for_each_value<double, DotStep<double>>(in, SquaredDistanceOfDot<double>(0), keep);
}

double least_scaled(const WindowRow& row) {
  Reals highest = splat<double>(-__builtin_inf());  // of the values negated
  for (Index i = 0; i < row.count; i += width<double>)
    highest = larger<double>(highest, -(load<double>(row.squared + i) * load<double>(row.scale + i)));
  double least = -highest[0];
  for (Index k = 1; k < width<double>; ++k) least = -highest[k] < least ? -highest[k] : least;
  return least;
}

}  // namespace
}  // namespace mercer
