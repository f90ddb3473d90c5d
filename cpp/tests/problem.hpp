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
        slope(std::move(labels)),
        start(slope.size(), 0.0),
        data_(X),
        K_(K) {
    for (const double label : slope) {
      lower.push_back(label > 0 ? 0 : -C);
      upper.push_back(label > 0 ? C : 0);
    }
  }

  BoxQp qp() const { return {slope, lower, upper, start}; }
  // Bounds the size of a coefficient, on the side it has.
  void bound(Index i, double C) { (upper[at(i)] > 0 ? upper : lower)[at(i)] = upper[at(i)] > 0 ? C : -C; }
  // Gives a row a label, and its coefficient that sign.
  void label(Index i, double sign) {
    const double C = upper[at(i)] - lower[at(i)];
    slope[at(i)] = sign;
    lower[at(i)] = sign > 0 ? 0 : -C;
    upper[at(i)] = sign > 0 ? C : 0;
  }
  void label_all(double sign) {
    for (Index i = 0; i < size(); ++i) label(i, sign);
  }
  Index size() const { return static_cast<Index>(slope.size()); }
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
    const RowSource<double> source = [this, before_each](std::span<const Index> rows, Index, double* out) {
      before_each();
      for (const Index i : rows) out = std::ranges::copy(K.row(i), out).out;
      return static_cast<Index>(rows.size()) * size();
    };
    return sourced_gram<double>(source, size(), rows_kept * size() * static_cast<Index>(sizeof(double)));
  }
  std::unique_ptr<Gram<double>> sourced(Index rows_kept) const {
    return sourced(rows_kept, [] {});
  }

  // (K c)_i
  double product(const std::vector<double>& coef, Index i) const {
    double sum = 0;
    for (std::size_t j = 0; j < slope.size(); ++j) sum += K.row(i)[j] * coef[j];
    return sum;
  }
  double objective(const std::vector<double>& coef) const {
    double value = 0;
    for (Index i = 0; i < size(); ++i) value += coef[at(i)] * (0.5 * product(coef, i) - slope[at(i)]);
    return value;
  }
  // m(c) - M(c): the largest s - Kc where c may grow, less the least where it may fall.
  double violation(const std::vector<double>& coef) const {
    double top = -infinity, bottom = infinity;
    for (Index i = 0; i < size(); ++i) {
      const double value = slope[at(i)] - product(coef, i);
      if (coef[at(i)] < upper[at(i)]) top = std::max(top, value);
      if (coef[at(i)] > lower[at(i)]) bottom = std::min(bottom, value);
    }
    return top - bottom;
  }
  bool feasible(const std::vector<double>& coef) const {
    double balance = 0, size = 0;
    bool inside = coef.size() == slope.size();
    for (std::size_t i = 0; inside && i < coef.size(); ++i) {
      inside = coef[i] >= lower[i] && coef[i] <= upper[i];
      balance += coef[i] - start[i];
      size += std::abs(coef[i]) + std::abs(start[i]);
    }
    return inside && std::abs(balance) <= 1e-13 * size;
  }

  Table X;
  Kernel kernel;
  Table K;
  std::vector<double> slope, lower, upper, start;

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
  for (Index i = 0; i < n; ++i) problem.bound(i, i % 5 == 0 ? 0 : C * (1.05 + random()));
  return problem;
}

// Any feasible point with sum c = 0.
inline std::vector<double> some_feasible_point(const Problem& problem, unsigned seed) {
  Random random(seed);
  std::vector<double> point(problem.slope.size());
  double total[2] = {0, 0};
  for (std::size_t i = 0; i < point.size(); ++i) {
    point[i] = (problem.lower[i] + problem.upper[i]) * std::max(0.0, random());
    total[problem.slope[i] > 0] += std::abs(point[i]);
  }
  const double least = std::min(total[0], total[1]);
  for (std::size_t i = 0; i < point.size(); ++i) point[i] *= least / total[problem.slope[i] > 0];
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
  double total = 1;
  for (const double c : solution.coef) total += std::abs(c);
  CHECK(solution.status == Status::solved);
  CHECK(solution.violation <= tol);
  CHECK(problem.feasible(solution.coef));
  CHECK(problem.violation(solution.coef) <= tol + total * rounding<double>(problem.kernel, problem.X));
}

}  // namespace mercer::test
