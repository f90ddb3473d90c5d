// Coordinate descent on Newton's model, with leaps.
//
// Solves       the problem of model.hpp
// Given        the model, and its matrix or the data it comes from
// Returns      weights
// Stops when   a sweep over all coordinates adds next to nothing to what was gained
// See          Friedman, Hastie, Tibshirani (2010), Regularization paths for generalized linear models via coordinate
//              descent; Lee, Battle, Raina, Ng (2007), Efficient sparse coding algorithms (the leaps)
#include "model.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/buffer.hpp"
#include "mercer/cholesky.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

// A sweep is the last where it gains no more than this share of what all have gained.
constexpr double little_gain = 1e-3;
// The most sweeps: they cost little beside a pass over the data where there is a matrix, and as much where there is
// not.
constexpr int most_sweeps_by_matrix = 2000;
constexpr int most_sweeps_by_columns = 30;
// A leap factors a matrix, which takes as long as so many sweeps for each nonzero weight, and these at least.
constexpr int least_sweeps_per_leap = 8;
constexpr double sweeps_per_weight = 0.2;
// Where tries within a leap end: signs are as good as settled, or sweeps do it better. The fewer the larger the matrix.
constexpr int most_tries_per_leap = 30;
constexpr int least_tries_per_leap = 2;
constexpr double work_per_leap = 3e8;
// Beyond so many weights a leap would keep Ctrl-C waiting.
constexpr std::size_t most_leaping = 1200;
// What is added to the diagonal of a leap's matrix, as a share of it: columns may be copies of each other.
constexpr double ridge_of_leaps = 1e-12;

double soft(double x, double threshold) { return x > threshold ? x - threshold : x < -threshold ? x + threshold : 0.0; }

// Where a coordinate goes and what that gains, given the slope and the curvature of the smooth part.
struct Move {
  double to, gain;

  Move(double from, double slope, double curvature, double penalty) : to(from), gain(0) {
    if (!(curvature > 0)) return;
    to = soft(from - slope / curvature, penalty / curvature);
    const double by = to - from;
    gain = -(slope * by + 0.5 * curvature * by * by + penalty * (std::abs(to) - std::abs(from)));
  }
};

class ByMatrix {
 public:
  ByMatrix(const LassoModel& model, const double* H)
      : model_(model),
        H_(H),
        n_(static_cast<Index>(model.w.size())),
        u_(model.w.begin(), model.w.end()),
        slope_(model.gradient.begin(), model.gradient.end()) {}

  // Moves one coordinate to its minimum; returns what that gains.
  double move(Index j) {
    const std::size_t k = static_cast<std::size_t>(j);
    const Move move(u_[k], slope_[k], H_[j * n_ + j] + model_.ridge[k], model_.penalty[k]);
    const double by = move.to - u_[k];
    if (by == 0) return 0;
    ops<double>().add_scaled(slope_.data(), H_ + j * n_, by, n_);
    slope_[k] += model_.ridge[k] * by;
    u_[k] = move.to;
    return move.gain;
  }

  // To the minimum over the nonzero weights; returns what that gains. Each try goes to the minimum for the signs as
  // they are, as far as the model falls on the way; a weight that is zero there stays out.
  double leap() {
    std::vector<Index> support;
    for (Index j = 0; j < n_; ++j)
      if (u_[static_cast<std::size_t>(j)] != 0) support.push_back(j);
    if (support.size() > most_leaping) return 0;
    const double affordable = work_per_leap / std::pow(static_cast<double>(support.size()), 3);
    const int most_tries = static_cast<int>(std::clamp<double>(affordable, least_tries_per_leap, most_tries_per_leap));
    double total = 0;
    for (int tries = 0; tries < most_tries && !support.empty(); ++tries) {
      const auto [gain, is_there] = leap_once(support);
      total += gain;
      if (is_there) break;
      std::erase_if(support, [&](Index j) { return u_[static_cast<std::size_t>(j)] == 0; });
    }
    return total;
  }

  const std::vector<double>& weights() const { return u_; }

 private:
  struct Leap {
    double gain;
    bool is_there;  // nothing is left to gain with these weights, or by this way
  };

  Leap leap_once(const std::vector<Index>& support) {
    const Index m = static_cast<Index>(support.size());
    Buffer<double> A(m * m);
    std::vector<double> force(support.size());
    for (Index a = 0; a < m; ++a) {
      const Index j = support[static_cast<std::size_t>(a)];
      const std::size_t k = static_cast<std::size_t>(j);
      for (Index b = 0; b < a; ++b) A[a * m + b] = H_[j * n_ + support[static_cast<std::size_t>(b)]];
      A[a * m + a] = (H_[j * n_ + j] + model_.ridge[k]) * (1 + ridge_of_leaps);
      force[static_cast<std::size_t>(a)] = -slope_[k] - std::copysign(model_.penalty[k], u_[k]);
    }
    if (!cholesky(A.data(), m)) return {0, true};
    std::vector<double> step = force;
    cholesky_solve(A.data(), m, step.data(), 1);

    // Along the step the slope rises from -product to zero at its end, and by a jump where a weight becomes zero.
    struct Crossing {
      double at, jump;
      std::size_t place;
    };
    std::vector<Crossing> crossings;
    double product = 0;
    for (std::size_t a = 0; a < support.size(); ++a) {
      const std::size_t k = static_cast<std::size_t>(support[a]);
      product += force[a] * step[a];
      if (model_.penalty[k] == 0 || (u_[k] > 0) == (step[a] > 0)) continue;
      const double at = -u_[k] / step[a];
      if (at < 1) crossings.push_back({at, 2 * model_.penalty[k] * std::abs(step[a]), a});
    }
    if (!(product > 0) || !std::isfinite(product)) return {0, true};
    std::ranges::sort(crossings, {}, &Crossing::at);
    double length = 1, jumps = 0, gain = 0, from = 0;
    std::size_t becomes_zero = support.size();
    const auto slope = [&](double t) { return product * (t - 1) + jumps; };
    for (const Crossing& crossing : crossings) {
      length = 1 - jumps / product;
      if (length <= crossing.at) break;
      gain -= 0.5 * (slope(from) + slope(crossing.at)) * (crossing.at - from);
      from = length = crossing.at;
      jumps += crossing.jump;
      if (slope(length) < 0) {
        length = 1 - jumps / product;
        continue;
      }
      becomes_zero = crossing.place;
      break;
    }
    if (becomes_zero == support.size()) gain -= 0.5 * slope(from) * (length - from);
    for (std::size_t a = 0; a < support.size(); ++a) {
      const std::size_t k = static_cast<std::size_t>(support[a]);
      const double to = a == becomes_zero ? 0.0 : u_[k] + length * step[a], by = to - u_[k];
      ops<double>().add_scaled(slope_.data(), H_ + support[a] * n_, by, n_);
      slope_[k] += model_.ridge[k] * by;
      u_[k] = to;
    }
    return {gain, length == 1};
  }

  const LassoModel& model_;
  const double* H_;
  Index n_;
  std::vector<double> u_;
  std::vector<double> slope_;  // gradient + (H + ridge) (u - w)
};

class ByColumns {
 public:
  ByColumns(const LassoModel& model, const Columns& X, std::span<const double> h)
      : model_(model), X_(X), h_(h), u_(model.w.begin(), model.w.end()), change_(h.size(), 0.0), diagonal_(u_.size()) {
    for (std::size_t k = 0; k < u_.size(); ++k) {
      diagonal_[k] = model.ridge[k];
      for (Index e = X.begin[k]; e < X.begin[k + 1]; ++e) {
        const double x = X.values[static_cast<std::size_t>(e)];
        diagonal_[k] += h[static_cast<std::size_t>(X.rows[static_cast<std::size_t>(e)])] * x * x;
      }
    }
  }

  double move(Index j) {
    const std::size_t k = static_cast<std::size_t>(j);
    const std::size_t first = static_cast<std::size_t>(X_.begin[k]), last = static_cast<std::size_t>(X_.begin[k + 1]);
    double slope = model_.gradient[k] + model_.ridge[k] * (u_[k] - model_.w[k]);
    for (std::size_t e = first; e < last; ++e) {
      const std::size_t i = static_cast<std::size_t>(X_.rows[e]);
      slope += h_[i] * X_.values[e] * change_[i];
    }
    const Move move(u_[k], slope, diagonal_[k], model_.penalty[k]);
    const double by = move.to - u_[k];
    if (by == 0) return 0;
    for (std::size_t e = first; e < last; ++e) change_[static_cast<std::size_t>(X_.rows[e])] += by * X_.values[e];
    u_[k] = move.to;
    return move.gain;
  }

  double leap() { return 0; }

  const std::vector<double>& weights() const { return u_; }

 private:
  const LassoModel& model_;
  const Columns& X_;
  std::span<const double> h_;
  std::vector<double> u_;
  std::vector<double> change_;  // x . (u - w) of each row
  std::vector<double> diagonal_;
};

// Sweeps over all coordinates, and between them over those that are not zero until these have settled.
template <class Descent>
std::vector<double> minimise(Descent descent, Index n, int most_sweeps, Stop& stop) {
  double total = 0;
  int since_leap = 0;
  std::vector<Index> support;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double gain = 0;
    for (Index j = 0; j < n; ++j) gain += descent.move(j);
    total += gain;
    if (gain <= little_gain * total) break;
    support.clear();
    for (Index j = 0; j < n; ++j)
      if (descent.weights()[static_cast<std::size_t>(j)] != 0) support.push_back(j);
    const int sweeps_per_leap =
        least_sweeps_per_leap + static_cast<int>(sweeps_per_weight * static_cast<double>(support.size()));
    for (; sweep < most_sweeps && gain > little_gain * total; ++sweep) {
      stop.poll();
      gain = 0;
      for (const Index j : support) gain += descent.move(j);
      total += gain;
      if (++since_leap < sweeps_per_leap) continue;
      total += descent.leap();
      since_leap = 0;
    }
  }
  return descent.weights();
}

}  // namespace

std::vector<double> minimise_by_matrix(const LassoModel& model, const double* H, Stop& stop) {
  return minimise(ByMatrix(model, H), static_cast<Index>(model.w.size()), most_sweeps_by_matrix, stop);
}

std::vector<double> minimise_by_columns(const LassoModel& model, const Columns& X, std::span<const double> h,
                                        Stop& stop) {
  return minimise(ByColumns(model, X, h), static_cast<Index>(model.w.size()), most_sweeps_by_columns, stop);
}

}  // namespace mercer
