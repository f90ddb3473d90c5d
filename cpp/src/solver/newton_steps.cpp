#include "newton_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/buffer.hpp"
#include "mercer/cholesky.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

// Added to the diagonal, relative to the largest: what makes a singular matrix definite; more where that is not enough.
constexpr double least_ridge = 1e-13;
constexpr double largest_ridge = 1e-3;

std::vector<Index> free_rows(const State& state) {
  std::vector<Index> rows;
  for (Index i = 0; i < state.size(); ++i)
    if (state.free(i)) rows.push_back(i);
  return rows;
}

// The direction that solves (K + ridge) delta + beta = values with sum delta = 0; false where no ridge helps.
template <class T>
bool direction(const State& state, const Block<T>& block, const std::vector<Index>& free, std::vector<double>& delta) {
  const auto m = static_cast<Index>(free.size());
  double largest = 0;
  for (const Index i : free) largest = std::max(largest, static_cast<double>(block.row(i)[i]));
  Buffer<double> factor(m * m);
  for (double ridge = least_ridge; ridge <= largest_ridge; ridge *= 100) {
    for (Index a = 0; a < m; ++a)
      for (Index b = 0; b <= a; ++b)
        factor[a * m + b] =
            static_cast<double>(block.row(free[State::at(a)])[free[State::at(b)]]) + (a == b ? ridge * largest : 0.0);
    if (!cholesky(factor.data(), m)) continue;
    std::vector<double> both(2 * free.size(), 1.0);
    for (std::size_t a = 0; a < free.size(); ++a) both[a] = state.values[State::at(free[a])];
    cholesky_solve(factor.data(), m, both.data(), 2);
    double of_values = 0, of_ones = 0;
    for (std::size_t a = 0; a < free.size(); ++a) {
      of_values += both[a];
      of_ones += both[free.size() + a];
    }
    delta.resize(free.size());
    for (std::size_t a = 0; a < free.size(); ++a) delta[a] = both[a] - of_values / of_ones * both[free.size() + a];
    // The sum is zero but for rounding, which a bad condition makes large.
    const double excess = std::accumulate(delta.begin(), delta.end(), 0.0) / static_cast<double>(m);
    for (double& x : delta) x -= excess;
    return std::ranges::all_of(delta, [](double x) { return std::isfinite(x); });
  }
  return false;
}

}  // namespace

template <class T>
bool descend_by_newton(State& state, const Block<T>& block, double tol, Stop& stop) {
  const Index q = state.size();
  bool moved = false;
  std::vector<double> delta, image(state.coef.size());
  for (int step = 0; step < newton_most_steps; ++step) {
    const std::vector<Index> free = free_rows(state);
    if (free.size() < 2 || static_cast<Index>(free.size()) > newton_most_free) return moved;
    const auto [least, most] = std::ranges::minmax(free, {}, [&](Index i) { return state.values[State::at(i)]; });
    if (state.values[State::at(most)] - state.values[State::at(least)] <= tol) return moved;
    stop.poll();
    if (!direction(state, block, free, delta)) return moved;

    // Exact line search on the quadratic, cut short by the box.
    std::ranges::fill(image, 0.0);
    double slope = 0, curvature = 0;
    for (std::size_t a = 0; a < free.size(); ++a) {
      ops<T>().add_scaled(image.data(), block.row(free[a]), delta[a], q);
      slope += delta[a] * state.values[State::at(free[a])];
    }
    for (std::size_t a = 0; a < free.size(); ++a) curvature += delta[a] * image[State::at(free[a])];
    if (!(slope > 0)) return moved;
    double length = curvature > 0 ? slope / curvature : std::numeric_limits<double>::infinity();
    Index blocking = -1;
    for (std::size_t a = 0; a < free.size(); ++a) {
      const std::size_t i = State::at(free[a]);
      const double room = delta[a] > 0   ? (state.hi[i] - state.coef[i]) / delta[a]
                          : delta[a] < 0 ? (state.lo[i] - state.coef[i]) / delta[a]
                                         : std::numeric_limits<double>::infinity();
      if (room < length) {
        length = room;
        blocking = static_cast<Index>(a);
      }
    }
    if (!std::isfinite(length)) return moved;  // unbounded: the pairs find out
    for (std::size_t a = 0; a < free.size(); ++a) {
      const std::size_t i = State::at(free[a]);
      state.coef[i] = std::clamp(state.coef[i] + length * delta[a], state.lo[i], state.hi[i]);
    }
    if (blocking >= 0) {
      const std::size_t i = State::at(free[State::at(blocking)]);
      state.coef[i] = delta[State::at(blocking)] > 0 ? state.hi[i] : state.lo[i];
    }
    for (Index i = 0; i < q; ++i) state.values[State::at(i)] -= length * image[State::at(i)];
    moved = true;
  }
  return moved;
}

template bool descend_by_newton(State&, const Block<float>&, double, Stop&);
template bool descend_by_newton(State&, const Block<double>&, double, Stop&);

}  // namespace mercer
