// Compiled without fused multiplications (see CMakeLists.txt): the errors below are those of the operations as written.
#include "mercer/twofold.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace mercer {
namespace {

// The exact sum where |a| >= |b|, and where nothing is known.
Twofold quick_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
Twofold exact_sum(double a, double b) {
  const double sum = a + b, other = sum - a;
  return {sum, (a - (sum - other)) + (b - other)};
}
Twofold exact_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

// An infinite or missing high part has no low part.
Twofold settled(Twofold x) { return std::isfinite(x.high) ? x : Twofold{x.high, 0}; }

constexpr Twofold log_of_two{0.6931471805599453, 2.3190468138462996e-17};
// exp is taken of x / 2^halvings by its series, and squared as often.
constexpr int halvings = 9;
constexpr int terms_of_series = 9;
constexpr double largest_exponent = 709;
constexpr Twofold pi{3.141592653589793, 1.2246467991473532e-16};
constexpr int terms_of_sine = 18;

Twofold of_feature(FeatureSum kind, double x, double z) {
  if (kind == FeatureSum::dot) return exact_product(x, z);
  const Twofold difference = exact_sum(x, -z);
  if (kind == FeatureSum::squared_distance) return difference * difference;
  return difference.high < 0 ? Twofold{} - difference : difference;
}

Twofold sum_over_features(const Leaf& leaf, const double* x, const double* z, Index cols) {
  const FeatureSum kind = leaf.form().sum;
  const double* weights = leaf.weights().empty() ? nullptr : leaf.weights().data();
  Twofold sum;
  for (Index k = 0; k < cols; ++k) {
    const Twofold term = of_feature(kind, x[k], z[k]);
    sum = sum + (weights ? Twofold{weights[k], 0} * term : term);
  }
  return sum;
}

Twofold value(const Kernel& kernel, const double* x, const double* z, Index cols) {
  return kernel
      .values_on_the_way<Twofold>(
          [&](const Leaf& leaf) { return leaf.twofold_value(sum_over_features(leaf, x, z, cols)); },
          [](double constant) { return Twofold{constant, 0}; })
      .back();
}

}  // namespace

Twofold operator+(Twofold a, Twofold b) {
  const Twofold high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const Twofold first = quick_sum(high.high, high.low + low.high);
  return settled(quick_sum(first.high, first.low + low.low));
}

Twofold operator-(Twofold a, Twofold b) { return a + Twofold{-b.high, -b.low}; }

Twofold operator*(Twofold a, Twofold b) {
  const Twofold product = exact_product(a.high, b.high);
  return settled(quick_sum(product.high, product.low + (a.high * b.low + a.low * b.high)));
}

Twofold operator/(Twofold a, Twofold b) {
  const double first = a.high / b.high;
  const Twofold rest = a - b * Twofold{first, 0};
  const double second = rest.high / b.high;
  const double third = (rest - b * Twofold{second, 0}).high / b.high;
  return settled(quick_sum(first, second) + Twofold{third, 0});
}

Twofold exp(Twofold x) {
  if (x.high < -largest_exponent - 40) return {};
  if (!(x.high < largest_exponent)) return {std::exp(x.high), 0};
  const double turns = std::nearbyint(x.high / log_of_two.high);
  Twofold rest = x - log_of_two * Twofold{turns, 0};
  const double share = std::ldexp(1.0, -halvings);
  rest = {rest.high * share, rest.low * share};
  // exp(r) - 1 = r (1 + r/2 (1 + r/3 (...))), whose squares lose nothing of what is small.
  Twofold series{1, 0};
  for (int k = terms_of_series; k >= 2; --k)
    series = Twofold{1, 0} + rest * series / Twofold{static_cast<double>(k), 0};
  Twofold less_one = rest * series;
  for (int k = 0; k < halvings; ++k) less_one = less_one + less_one + less_one * less_one;
  const Twofold whole = less_one + Twofold{1, 0};
  const int exponent = static_cast<int>(turns);
  return {std::ldexp(whole.high, exponent), std::ldexp(whole.low, exponent)};
}

Twofold power(Twofold base, int degree) {
  Twofold result{1, 0};
  for (; degree > 0; degree /= 2) {
    if (degree % 2 == 1) result = result * base;
    if (degree > 1) base = base * base;
  }
  return result;
}

Twofold tanh(Twofold x) {
  if (std::abs(x.high) > 40) return {x.high > 0 ? 1.0 : -1.0, 0};
  return Twofold{1, 0} - Twofold{2, 0} / (exp(x + x) + Twofold{1, 0});
}

Twofold sqrt(Twofold x) {
  const double root = std::sqrt(x.high);
  if (root == 0 || !std::isfinite(root)) return {root, 0};
  return Twofold{root, 0} + (x - exact_product(root, root)) / Twofold{2 * root, 0};
}

Twofold log(Twofold x) {
  const double close = std::log(x.high);
  if (!std::isfinite(close)) return {close, 0};
  // A step of Newton's on exp(y) = x. Half of y at a time, as the exponential of all of it may be beyond double.
  const Twofold half = exp(Twofold{-close / 2, 0});
  return Twofold{close, 0} + (half * x * half - Twofold{1, 0});
}

Twofold sin_of_pi(Twofold x) {
  const double turns = std::nearbyint(x.high);
  if (!std::isfinite(turns)) return {};
  // Within a quarter of a turn or so, where few terms of the series are enough.
  const Twofold angle = pi * (x - Twofold{turns, 0}), square = angle * angle;
  Twofold series{1, 0};
  for (int k = terms_of_sine; k >= 1; --k)
    series = Twofold{1, 0} - square * series / Twofold{static_cast<double>(2 * k * (2 * k + 1)), 0};
  const Twofold sine = angle * series;
  return std::fmod(turns, 2) == 0 ? sine : Twofold{} - sine;
}

void twofold_gram(const Kernel& kernel, const Dense<double>& X, TwofoldMatrix out, int threads, Stop* stop) {
  kernel.check_features(X.cols);
  parallel_for(
      X.rows, threads,
      [&](Index i) {
        for (Index j = 0; j <= i; ++j) {
          const Twofold k = value(kernel, X.row(i), X.row(j), X.cols);
          out.high[i * out.size + j] = out.high[j * out.size + i] = k.high;
          out.low[i * out.size + j] = out.low[j * out.size + i] = k.low;
        }
      },
      stop);
}

void twofold_expansion(const Kernel& kernel, const Dense<double>& centres, TwofoldCoef coef,
                       const Dense<double>& queries, double* out, int threads, Stop* stop) {
  kernel.check_features(queries.cols);
  parallel_for(
      queries.rows, threads,
      [&](Index i) {
        Twofold sum;
        for (Index j = 0; j < centres.rows; ++j) {
          if (coef.high[j] == 0 && coef.low[j] == 0) continue;
          const Twofold k = value(kernel, centres.row(j), queries.row(i), centres.cols);
          sum = sum + k * Twofold{coef.high[j], coef.low[j]};
        }
        out[i] = sum.high;
      },
      stop);
}

void twofold_sums(const Dense<double>& values, TwofoldCoef coef, double* out) {
  for (Index i = 0; i < values.rows; ++i) {
    Twofold sum;
    for (Index j = 0; j < values.cols; ++j)
      sum = sum + Twofold{values.row(i)[j], 0} * Twofold{coef.high[j], coef.low[j]};
    out[i] = sum.high;
  }
}

void twofold_products(const TwofoldMatrix& K, const double* coef, double* high, double* low, int threads, Stop* stop) {
  parallel_for(
      K.size, threads,
      [&](Index i) {
        Twofold sum;
        for (Index j = 0; j < K.size; ++j) {
          if (coef[j] == 0) continue;
          const Index at = i * K.size + j;
          Twofold product = exact_product(K.high[at], coef[j]);
          product.low += K.low[at] * coef[j];
          sum = sum + product;
        }
        high[i] = sum.high;
        low[i] = sum.low;
      },
      stop);
}

void twofold_sum_of_rows(const Dense<double>& X, TwofoldCoef coef, double* out) {
  std::vector<Twofold> sums(static_cast<std::size_t>(X.cols));
  for (Index i = 0; i < X.rows; ++i)
    for (Index k = 0; k < X.cols; ++k) {
      const Twofold product = Twofold{coef.high[i], coef.low[i]} * Twofold{X.row(i)[k], 0};
      sums[static_cast<std::size_t>(k)] = sums[static_cast<std::size_t>(k)] + product;
    }
  for (Index k = 0; k < X.cols; ++k) out[k] = sums[static_cast<std::size_t>(k)].high;
}

void centre(TwofoldMatrix K, int threads, Stop* stop) {
  const auto rows = static_cast<std::size_t>(K.size);
  std::vector<Twofold> means(rows);
  const Twofold count{static_cast<double>(K.size), 0};
  Twofold whole;
  for (std::size_t i = 0; i < rows; ++i) {
    Twofold sum;
    for (std::size_t j = 0; j < rows; ++j) sum = sum + Twofold{K.high[i * rows + j], K.low[i * rows + j]};
    means[i] = sum / count;
    whole = whole + means[i];
  }
  whole = whole / count;
  parallel_for(
      K.size, threads,
      [&](Index row) {
        const auto i = static_cast<std::size_t>(row);
        for (std::size_t j = 0; j < rows; ++j) {
          const Twofold k{K.high[i * rows + j], K.low[i * rows + j]};
          const Twofold centred = (k - means[i]) - (means[j] - whole);
          K.high[i * rows + j] = centred.high;
          K.low[i * rows + j] = centred.low;
        }
      },
      stop);
}

LowRank pivoted_factor(const TwofoldMatrix& K, double least, Index most_rank, Stop* stop) {
  const auto rows = static_cast<std::size_t>(K.size);
  std::vector<Twofold> rest(rows);  // of the diagonal
  for (std::size_t i = 0; i < rows; ++i) rest[i] = {K.high[i * rows + i], K.low[i * rows + i]};
  std::vector<std::vector<Twofold>> columns;
  while (columns.size() < rows) {
    if (stop != nullptr) stop->poll();
    std::size_t pivot = 0;
    for (std::size_t i = 1; i < rows; ++i)
      if (rest[i].high > rest[pivot].high) pivot = i;
    if (!(rest[pivot].high > least)) break;
    if (static_cast<Index>(columns.size()) == most_rank) return {};
    // One step of Newton's on the root of double.
    Twofold root{std::sqrt(rest[pivot].high), 0};
    root = (root + rest[pivot] / root) / Twofold{2, 0};
    std::vector<Twofold> column(rows);
    for (std::size_t i = 0; i < rows; ++i) column[i] = {K.high[i * rows + pivot], K.low[i * rows + pivot]};
    for (const std::vector<Twofold>& before : columns) {
      const Twofold factor = before[pivot];
      if (factor.high == 0) continue;
      for (std::size_t i = 0; i < rows; ++i) column[i] = column[i] - before[i] * factor;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      column[i] = i == pivot ? root : column[i] / root;
      rest[i] = i == pivot ? Twofold{} : rest[i] - column[i] * column[i];
    }
    columns.push_back(std::move(column));
  }
  LowRank found{std::vector<double>(rows * columns.size()), static_cast<Index>(columns.size())};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns.size(); ++k) found.values[i * columns.size() + k] = columns[k][i].high;
  return found;
}

}  // namespace mercer
