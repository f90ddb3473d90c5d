#include "newton_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/buffer.hpp"
#include "mercer/cholesky.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

// Added to the diagonal, relative to the largest: what makes a singular matrix definite; more where that is not enough.
constexpr double least_ridge = 1e-13;
constexpr double largest_ridge = 1e-3;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Index> free_rows(const State& state) {
  std::vector<Index> rows;
  for (Index i = 0; i < state.size(); ++i)
    if (state.free(i)) rows.push_back(i);
  return rows;
}

// Takes one from the other what both have in common with the sums, so that each sum of `delta` is zero: delta becomes
// delta - sum_s beta_s ones_s. The columns are K^-1 values, and K^-1 times the ones of each sum.
void keep_sums(const std::vector<double>& columns, const std::vector<std::size_t>& sum_of, std::vector<double>& delta) {
  const std::size_t m = sum_of.size();
  Sums of_values{0, 0};
  double of_ones[2][2] = {{0, 0}, {0, 0}};
  for (std::size_t a = 0; a < m; ++a) {
    of_values[sum_of[a]] += columns[a];
    for (std::size_t s = 0; s < 2; ++s) of_ones[sum_of[a]][s] += columns[(1 + s) * m + a];
  }
  Sums beta{0, 0};
  const double determinant = of_ones[0][0] * of_ones[1][1] - of_ones[0][1] * of_ones[1][0];
  if (of_ones[1][1] == 0) {
    beta[0] = of_values[0] / of_ones[0][0];
  } else if (of_ones[0][0] == 0) {
    beta[1] = of_values[1] / of_ones[1][1];
  } else {
    beta[0] = (of_values[0] * of_ones[1][1] - of_values[1] * of_ones[0][1]) / determinant;
    beta[1] = (of_values[1] * of_ones[0][0] - of_values[0] * of_ones[1][0]) / determinant;
  }
  delta.resize(m);
  for (std::size_t a = 0; a < m; ++a) delta[a] = columns[a] - beta[0] * columns[m + a] - beta[1] * columns[2 * m + a];
  // The sums are zero but for rounding, which a bad condition makes large.
  Sums excess{0, 0}, count{0, 0};
  for (std::size_t a = 0; a < m; ++a) {
    excess[sum_of[a]] += delta[a];
    ++count[sum_of[a]];
  }
  for (std::size_t a = 0; a < m; ++a) delta[a] -= excess[sum_of[a]] / count[sum_of[a]];
}

// The direction that solves (K + ridge) delta + beta = values with the sums of delta zero; false where no ridge helps.
template <class T>
bool direction(const State& state, const Block<T>& block, const std::vector<Index>& free, std::vector<double>& delta) {
  const Index m = length(free);
  double largest = 0;
  for (const Index i : free) largest = std::max(largest, static_cast<double>(block.row(i)[i]));
  std::vector<std::size_t> sum_of;
  for (const Index i : free) sum_of.push_back(state.up_sum(i));
  Buffer<double> factor(m * m);
  for (double ridge = least_ridge; ridge <= largest_ridge; ridge *= 100) {
    for (Index a = 0; a < m; ++a)
      for (Index b = 0; b <= a; ++b)
        factor[a * m + b] = static_cast<double>(block.row(at(free, a))[at(free, b)]) + (a == b ? ridge * largest : 0.0);
    if (!cholesky(factor.data(), m)) continue;
    std::vector<double> columns(3 * free.size(), 0.0);
    for (std::size_t a = 0; a < free.size(); ++a) {
      columns[a] = state.up_value(free[a]);
      columns[(1 + sum_of[a]) * free.size() + a] = 1;
    }
    cholesky_solve(factor.data(), m, columns.data(), 1 + static_cast<Index>(state.sums()));
    keep_sums(columns, sum_of, delta);
    return std::ranges::all_of(delta, [](double x) { return std::isfinite(x); });
  }
  return false;
}

// How far the values of free rows of one sum lie apart.
double spread(const State& state, const std::vector<Index>& free) {
  Sums least{infinity, infinity}, most{-infinity, -infinity};
  for (const Index i : free) {
    least[state.up_sum(i)] = std::min(least[state.up_sum(i)], state.up_value(i));
    most[state.up_sum(i)] = std::max(most[state.up_sum(i)], state.up_value(i));
  }
  return std::max(most[0] - least[0], most[1] - least[1]);
}

}  // namespace

template <class T>
bool descend_by_newton(State& state, const Block<T>& block, double tol, Stop& stop) {
  const Index q = state.size();
  bool moved = false;
  std::vector<double> delta, image(state.coef.size());
  for (int step = 0; step < newton_most_steps; ++step) {
    const std::vector<Index> free = free_rows(state);
    if (free.size() < 2 || length(free) > newton_most_free) return moved;
    if (spread(state, free) <= tol) return moved;
    stop.poll();
    if (!direction(state, block, free, delta)) return moved;

    // Exact line search on the quadratic, cut short by the box.
    std::ranges::fill(image, 0.0);
    double slope = 0, curvature = 0;
    for (std::size_t a = 0; a < free.size(); ++a) {
      ops<T>().add_scaled(image.data(), block.row(free[a]), delta[a], q);
      slope += delta[a] * state.up_value(free[a]);
    }
    for (std::size_t a = 0; a < free.size(); ++a) curvature += delta[a] * at(image, free[a]);
    if (!(slope > 0)) return moved;
    double step_size = curvature > 0 ? slope / curvature : infinity;
    std::size_t blocking = free.size();
    std::vector<double> ends(free.size());
    for (std::size_t a = 0; a < free.size(); ++a) {
      ends[a] = delta[a] > 0 ? state.up_end(free[a]) : state.low_end(free[a]);
      const double room = delta[a] == 0 ? infinity : (ends[a] - at(state.coef, free[a])) / delta[a];
      if (room < step_size) {
        step_size = room;
        blocking = a;
      }
    }
    if (!std::isfinite(step_size)) return moved;  // unbounded: the pairs find out
    for (std::size_t a = 0; a < free.size(); ++a) {
      double& coef = at(state.coef, free[a]);
      const double to = coef + step_size * delta[a];
      coef = a == blocking ? ends[a] : delta[a] > 0 ? std::min(to, ends[a]) : std::max(to, ends[a]);
    }
    for (Index i = 0; i < q; ++i) at(state.neg_grad, i) -= step_size * at(image, i);
    moved = true;
  }
  return moved;
}

template bool descend_by_newton(State&, const Block<float>&, double, Stop&);
template bool descend_by_newton(State&, const Block<double>&, double, Stop&);

}  // namespace mercer
