// Random data in every form the core reads, and the kernels by their formulas, in plain loops over doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "mercer/kernel.hpp"
#include "mercer/view.hpp"

namespace mercer::test {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

inline std::vector<Index> count_up_to(Index n) {
  std::vector<Index> rows(at(n));
  std::iota(rows.begin(), rows.end(), Index(0));
  return rows;
}

// Rows in no order, some of them twice.
inline std::vector<Index> scattered(Index count, Index n, Index from) {
  std::vector<Index> rows;
  for (Index k = 0; k < count; ++k) rows.push_back((k * 7 + from) % n);
  return rows;
}

// Uniform on [-1, 1), the same on every platform.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_() >> 11) * 0x1p-52 - 1; }
  template <class T = double>
  std::vector<T> vector(Index n) {
    std::vector<T> values(at(n));
    for (T& x : values) x = static_cast<T>((*this)());
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

// A matrix whose values are exact in float, so that every form of it holds the same numbers.
struct Table {
  Index rows = 0;
  Index cols = 0;
  std::vector<double> values;

  std::span<double> row(Index i) { return {values.data() + i * cols, at(cols)}; }
  std::span<const double> row(Index i) const { return {values.data() + i * cols, at(cols)}; }
};

inline Table random_table(Index rows, Index cols, unsigned seed, double density = 1) {
  Random random(seed);
  Table table{rows, cols, std::vector<double>(at(rows * cols))};
  for (double& x : table.values) {
    const bool present = 0.5 * (random() + 1) < density;
    const double value = static_cast<float>(random());
    x = present ? value : 0;
  }
  return table;
}

// Multiples of 1/64 near the origin, with a cluster of such rows far out: all differences are exact in float.
inline Table with_far_rows(Index n, Index far_every, unsigned seed) {
  Table X = random_table(n, 2, seed);
  for (double& x : X.values) x = std::round(64 * x) / 64;
  for (Index i = far_every - 1; i < n; i += far_every) X.row(i)[0] += 4096;
  return X;
}

template <class T>
struct DenseData {
  explicit DenseData(const Table& table)
      : values(table.values.begin(), table.values.end()), rows(table.rows), cols(table.cols) {}
  Dense<T> view() const { return {values.data(), rows, cols}; }
  operator Matrix() const { return view(); }

  std::vector<T> values;
  Index rows, cols;
};

// Columns stand in falling order within a row; every third zero is stored.
template <class T, class I>
struct CsrData {
  explicit CsrData(const Table& table) : rows(table.rows), cols(table.cols) {
    Index zeros = 0;
    for (Index i = 0; i < rows; ++i) {
      for (Index k = cols; k-- > 0;) {
        const double x = table.row(i)[at(k)];
        if (x == 0 && ++zeros % 3 != 0) continue;
        values.push_back(static_cast<T>(x));
        indices.push_back(static_cast<I>(k));
      }
      indptr.push_back(static_cast<I>(values.size()));
    }
  }
  operator Matrix() const { return Csr<T, I>{values.data(), indices.data(), indptr.data(), rows, cols}; }

  std::vector<T> values;
  std::vector<I> indices;
  std::vector<I> indptr{0};
  Index rows, cols;
};

inline Kernel linear() { return Kernel(Leaf("linear")); }
inline Kernel rbf(double gamma) { return Kernel(Leaf("rbf", {{"gamma", gamma}})); }
inline Kernel laplacian(double gamma) { return Kernel(Leaf("laplacian", {{"gamma", gamma}})); }
inline Kernel polynomial(double gamma, double coef0, int degree) {
  return Kernel(Leaf("polynomial", {{"gamma", gamma}, {"coef0", coef0}, {"degree", degree}}));
}
inline Kernel sigmoid(double gamma, double coef0) {
  return Kernel(Leaf("sigmoid", {{"gamma", gamma}, {"coef0", coef0}}));
}
inline Kernel constant(double value) { return Kernel::constant(value); }
inline Kernel sum(const Kernel& left, const Kernel& right) { return left + right; }
inline Kernel product(const Kernel& left, const Kernel& right) { return left * right; }

inline Kernel weighted(std::string_view name, std::vector<double> weights) {
  return Kernel(Leaf(name, {}, std::move(weights)));
}

// The formulas once more, by the names of the leaves.
inline double naive_formula(const Leaf& leaf, std::span<const double> x, std::span<const double> z) {
  double dot = 0, squared = 0, manhattan = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double weight = leaf.weights().empty() ? 1 : leaf.weights()[k];
    dot += x[k] * z[k];
    squared += weight * (x[k] - z[k]) * (x[k] - z[k]);
    manhattan += weight * std::abs(x[k] - z[k]);
  }
  const std::string_view name = leaf.form().name;
  if (name == "linear") return dot;
  const double gamma = leaf.parameter("gamma");
  if (name == "rbf") return std::exp(-gamma * squared);
  if (name == "laplacian") return std::exp(-gamma * manhattan);
  const double r = std::sqrt(2 * gamma * squared);  // the distance in length scales
  if (name == "matern12") return std::exp(-r);
  if (name == "matern32") return (1 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
  if (name == "matern52") return (1 + std::sqrt(5.0) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0) * r);
  if (name == "rational_quadratic")
    return std::pow(1 + gamma * squared / leaf.parameter("alpha"), -leaf.parameter("alpha"));
  if (name == "periodic")
    return std::exp(-leaf.parameter("rate") * std::pow(std::sin(std::acos(-1.0) * std::sqrt(gamma * squared)), 2));
  if (name == "white") return squared == 0 ? 1 : 0;
  const double base = gamma * dot + leaf.parameter("coef0");
  if (name == "sigmoid") return std::tanh(base);
  double power = 1;
  for (int e = 0; e < leaf.parameter("degree"); ++e) power *= base;
  return name == "polynomial" ? power : std::nan("");
}
inline double naive_leaf(const Leaf& leaf, std::span<const double> x, std::span<const double> z) {
  return leaf.factor() * naive_formula(leaf, x, z);
}

inline double naive_value(const Kernel& kernel, std::span<const double> x, std::span<const double> z) {
  std::vector<double> stack;
  for (const Instruction& step : kernel.program()) {
    if (step.kind == Instruction::Kind::leaf || step.kind == Instruction::Kind::constant) {
      stack.push_back(step.kind == Instruction::Kind::leaf ? naive_leaf(step.leaf, x, z) : step.constant);
      continue;
    }
    const double right = stack.back();
    stack.pop_back();
    stack.back() = step.kind == Instruction::Kind::add ? stack.back() + right : stack.back() * right;
  }
  return stack.back();
}

inline Table naive_matrix(const Kernel& kernel, const Table& X, const Table& Z) {
  Table K{X.rows, Z.rows, {}};
  for (Index i = 0; i < X.rows; ++i)
    for (Index j = 0; j < Z.rows; ++j) K.values.push_back(naive_value(kernel, X.row(i), Z.row(j)));
  return K;
}

inline double largest_squared_norm(const Table& X) {
  double largest = 0;
  for (Index i = 0; i < X.rows; ++i)
    largest = std::max(largest, std::inner_product(X.row(i).begin(), X.row(i).end(), X.row(i).begin(), 0.0));
  return largest;
}

// What rounding in T may do to a kernel value: a few units for each term of the sums, times the largest value there is.
// Exponents are at most `largest_exponent` or so in these tests, and their absolute error is relative in the value.
template <class T>
double rounding(const Kernel& kernel, const Table& X) {
  constexpr double largest_exponent = 16;
  return (static_cast<double>(X.cols) + largest_exponent) * std::numeric_limits<T>::epsilon() *
         std::max(1.0, kernel.bound(largest_squared_norm(X)));
}

}  // namespace mercer::test
