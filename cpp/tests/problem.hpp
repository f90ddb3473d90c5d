// Box QPs to solve, and what makes a point their optimum, worked out from the naive matrix in plain loops.
#pragma once

#include "check.hpp"
#include "mercer/solver.hpp"
#include "reference.hpp"

namespace mercer::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Problem {
  Problem(Table data, Kernel of, std::vector<double> labels, double C)
      : X(std::move(data)),
        kernel(std::move(of)),
        K(naive_matrix(kernel, X, X)),
        linear(labels.size(), -1.0),
        signs(std::move(labels)),
        upper(signs.size(), C),
        start(signs.size(), 0.0),
        data_(X),
        K_(K) {}

  BoxQp qp() const { return {linear, signs, upper, start}; }
  Index size() const { return static_cast<Index>(signs.size()); }
  template <class T = double>
  std::unique_ptr<Gram<T>> computed(int threads = 1) const {
    return computed_gram<T>(std::make_shared<const Prepared<T>>(kernel, data_), count_up_to(size()), threads);
  }
  std::unique_ptr<Gram<double>> stored(int threads = 1) const {
    return stored_gram<double>(K_.view(), count_up_to(size()), threads);
  }
  // Calls before_each() before it gives rows.
  template <class Before>
  std::unique_ptr<Gram<double>> sourced(Index rows_kept, Before before_each) const {
    std::vector<double> diagonal;
    for (Index i = 0; i < size(); ++i) diagonal.push_back(K.row(i)[at(i)]);
    const RowSource<double> source = [this, before_each](std::span<const Index> rows, double* out) {
      before_each();
      for (const Index i : rows) out = std::ranges::copy(K.row(i), out).out;
    };
    return sourced_gram<double>(source, std::move(diagonal), rows_kept * size() * static_cast<Index>(sizeof(double)));
  }
  std::unique_ptr<Gram<double>> sourced(Index rows_kept) const {
    return sourced(rows_kept, [] {});
  }

  // (Q a)_i
  double product(const std::vector<double>& alpha, Index i) const {
    double sum = 0;
    for (std::size_t j = 0; j < signs.size(); ++j) sum += signs[at(i)] * signs[j] * K.row(i)[j] * alpha[j];
    return sum;
  }
  double objective(const std::vector<double>& alpha) const {
    double value = 0;
    for (Index i = 0; i < size(); ++i) value += alpha[at(i)] * (0.5 * product(alpha, i) + linear[at(i)]);
    return value;
  }
  // m(a) - M(a): the largest -y grad where y a may grow, less the least where it may fall.
  double violation(const std::vector<double>& alpha) const {
    double top = -infinity, bottom = infinity;
    for (Index i = 0; i < size(); ++i) {
      const double value = -signs[at(i)] * (product(alpha, i) + linear[at(i)]);
      const bool more = alpha[at(i)] < upper[at(i)], less = alpha[at(i)] > 0, positive = signs[at(i)] > 0;
      if (positive ? more : less) top = std::max(top, value);
      if (positive ? less : more) bottom = std::min(bottom, value);
    }
    return top - bottom;
  }
  bool feasible(const std::vector<double>& alpha) const {
    double balance = 0, size = 0;
    bool inside = alpha.size() == signs.size();
    for (std::size_t i = 0; inside && i < alpha.size(); ++i) {
      inside = alpha[i] >= 0 && alpha[i] <= upper[i];
      balance += signs[i] * (alpha[i] - start[i]);
      size += alpha[i] + start[i];
    }
    return inside && std::abs(balance) <= 1e-13 * size;
  }

  Table X;
  Kernel kernel;
  Table K;
  std::vector<double> linear, signs, upper, start;

 private:
  DenseData<double> data_;
  DenseData<double> K_;
};

// Two classes parted by a curve, with one label in eight wrong.
inline Problem noisy_classes(Index n, unsigned seed, double C, Kernel kernel = rbf(2)) {
  Table X = random_table(n, 2, seed);
  std::vector<double> labels;
  for (Index i = 0; i < n; ++i) {
    const double side = X.row(i)[1] - X.row(i)[0] * X.row(i)[0] + 0.2;
    labels.push_back((side > 0) == (i % 8 != 0) ? 1 : -1);
  }
  return {std::move(X), std::move(kernel), std::move(labels), C};
}

// Every row its own bound, some of them zero.
inline Problem own_bounds(Index n, unsigned seed, double C) {
  Problem problem = noisy_classes(n, seed, C);
  Random random(seed + 1);
  for (Index i = 0; i < n; ++i) problem.upper[at(i)] = i % 5 == 0 ? 0 : C * (1.05 + random());
  return problem;
}

// Any feasible point with sum y a = 0.
inline std::vector<double> some_feasible_point(const Problem& problem, unsigned seed) {
  Random random(seed);
  std::vector<double> point(problem.signs.size());
  double total[2] = {0, 0};
  for (std::size_t i = 0; i < point.size(); ++i) {
    point[i] = problem.upper[i] * std::max(0.0, random());
    total[problem.signs[i] > 0] += point[i];
  }
  const double least = std::min(total[0], total[1]);
  for (std::size_t i = 0; i < point.size(); ++i) point[i] *= least / total[problem.signs[i] > 0];
  return point;
}

// Samples and working sets far smaller than the problem, so that every part of the solver has work.
inline SolverOptions tiny_sets(double tol) {
  SolverOptions options;
  options.tol = tol;
  options.first_sample = 4;
  options.working_set = 8;
  options.largest_working_set = 16;
  options.whole_block = 4;
  return options;
}
inline SolverOptions whole(double tol) {
  SolverOptions options;
  options.tol = tol;
  return options;
}

template <class T>
Solution solved(const Problem& problem, Gram<T>& gram, const SolverOptions& options) {
  Stop stop;
  return solve<T>(problem.qp(), gram, options, stop);
}

// The KKT conditions from scratch. The violation, computed anew in another order, differs by the rounding of values.
inline void check_solved(const Problem& problem, const Solution& solution, double tol) {
  const double total = std::accumulate(solution.alpha.begin(), solution.alpha.end(), 1.0);
  CHECK(solution.status == Status::solved);
  CHECK(solution.violation <= tol);
  CHECK(problem.feasible(solution.alpha));
  CHECK(problem.violation(solution.alpha) <= tol + total * rounding<double>(problem.kernel, problem.X));
}

}  // namespace mercer::test
