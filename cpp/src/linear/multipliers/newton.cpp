// Newton's steps of the method of multipliers: the matrix of the rows between their bounds, the step, and how far it is
// gone.
#include <numeric>

#include "mercer/cholesky.hpp"
#include "multipliers.hpp"

namespace mercer {
namespace {

// A step is good once the slope along it has fallen to this share.
constexpr double good_slope = 0.1;
constexpr int most_tries = 30;
// Conjugate gradients go on until the residual has fallen to this share.
constexpr double conjugate_share = 0.1;
constexpr int most_conjugate_steps = 200;
// Numbers of a Gram matrix that a thread adds up at once.
constexpr Index numbers_a_part = 16'384;

}  // namespace

// v -= t scale G step: what the coefficients do that stay between their bounds.
void Multipliers::follow_gram(const std::vector<double>& step, double t) {
  const Index n = X_.cols();
  double trace = 0, reach = 0;
  for (Index a = 0; a < n; ++a) {
    const double square = std::max(gram_[a * (n + 1)], 0.0);
    trace += square;
    reach += std::sqrt(square) * std::abs(step[static_cast<std::size_t>(a)]);
  }
  rounding_ += std::numeric_limits<double>::epsilon() * t * scale_ * std::sqrt(trace) * reach;
  for (Index a = 0; a < n; ++a) {
    const double* own = gram_.data() + a * n;
    double sum = own[a] * step[static_cast<std::size_t>(a)];
    const double by = t * scale_ * step[static_cast<std::size_t>(a)];
    for (Index b = 0; b < a; ++b) {
      sum += own[b] * step[static_cast<std::size_t>(b)];
      v_[static_cast<std::size_t>(b)] -= by * own[b];
    }
    v_[static_cast<std::size_t>(a)] -= t * scale_ * sum;
  }
}

Multipliers::WeightedRows Multipliers::between() {
  WeightedRows found;
  for (Index k = 0; k < awake_.size(); ++k)
    if (is_between(k)) found.take(awake_.position(k), awake_.weight(k));
  return found;
}

void Multipliers::rebuild_gram() {
  const WeightedRows rows = between();
  between_ = most_between_ = rows.size();
  std::fill_n(gram_.data(), gram_.size(), 0.0);
  update_gram(rows, 1.0);
}

void Multipliers::update_gram(const WeightedRows& rows, double sign) {
  if (rows.size() == 0) return;
  const Index shares = gram_shares_of(rows.size());
  if (shares == 1) return X_.add_gram(rows.positions, rows.weights.data(), sign, gram_.data());
  std::vector<Buffer<double>> grams(static_cast<std::size_t>(shares));
  over_shares(shares, rows.size(), [&](std::size_t share, Index first, Index last) {
    grams[share] = zeros(gram_.size());
    const RowList part(rows.positions.data() + first, static_cast<std::size_t>(last - first));
    X_.add_gram(part, rows.weights.data() + first, sign, grams[share].data());
  });
  add_up(grams);
}

// gram += the sums of all shares.
void Multipliers::add_up(const std::vector<Buffer<double>>& grams) {
  const Index parts = std::max<Index>(1, gram_.size() / numbers_a_part);
  parallel_for(parts, options_.threads, [&](Index part) {
    const Index first = gram_.size() * part / parts, last = gram_.size() * (part + 1) / parts;
    for (const Buffer<double>& gram : grams)
      for (Index e = first; e < last; ++e) gram_[e] += gram[e];
  });
}

// Features that its rows lack count as if the rows were like all.
void Multipliers::keep_gram(const Multipliers& other) {
  std::copy_n(other.gram_.data(), gram_.size(), earlier_gram_.data());
  const double share = static_cast<double>(other.between_) / static_cast<double>(other.members_.size());
  for (std::size_t j = 0; j < squares_.size(); ++j) {
    double& own = earlier_gram_[static_cast<Index>(j * (width() + 1))];
    own = std::max(own, share * squares_[j]);
  }
}

// Of the envelopes' objective.
std::vector<double> Multipliers::gradient() const {
  std::vector<double> g(width());
  for (Index j = 0; j < X_.cols(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    g[at] = -v_[at] + (is_priced(j) ? w_[at] : qp_.sums[static_cast<std::size_t>(j - X_.features())]);
  }
  return g;
}

std::vector<double> Multipliers::newton_step(const std::vector<double>& gradient) {
  if (!is_factored_) return by_conjugate_gradients(gradient);
  std::vector<double> step(width());
  for (double ridge = 0; ridge < 1; ridge = ridge == 0 ? 1e-14 : ridge * 100) {
    for (std::size_t j = 0; j < width(); ++j) step[j] = -gradient[j];
    if (factor_and_solve(step, ridge)) return step;
  }
  return std::vector<double>(width(), 0.0);  // beyond what numbers hold
}

bool Multipliers::factor_and_solve(std::vector<double>& step, double ridge) const {
  const Index n = X_.cols();
  Buffer<double> system(n * n);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b <= a; ++b)
      system[a * n + b] = scale_ * (gram_[a * n + b] + damping_ * earlier_gram_[a * n + b]);
  double largest = 1;
  for (Index a = 0; a < n; ++a) largest = std::max(largest, system[a * n + a]);
  for (Index a = 0; a < n; ++a) system[a * n + a] += price(a) + ridge * largest;
  if (!cholesky(system.data(), n)) return false;
  cholesky_solve(system.data(), n, step.data(), 1);
  return std::ranges::all_of(step, [](double x) { return std::isfinite(x); });
}

std::vector<double> Multipliers::by_conjugate_gradients(const std::vector<double>& gradient) {
  const WeightedRows rows = between();
  const std::vector<std::int32_t>& at = rows.positions;
  std::vector<double> weights = rows.weights, products(at.size());
  for (double& weight : weights) weight *= scale_;
  std::vector<double> diagonal(width(), 0.0);
  X_.add_squares(at, weights.data(), diagonal.data());
  for (Index j = 0; j < X_.cols(); ++j) diagonal[static_cast<std::size_t>(j)] += price(j);

  std::vector<double> step(width(), 0.0), residual(width()), direction(width()), image(width());
  double size = 0, product = 0;
  for (std::size_t j = 0; j < width(); ++j) {
    residual[j] = -gradient[j];
    direction[j] = residual[j] / diagonal[j];
    size += residual[j] * residual[j];
    product += residual[j] * direction[j];
  }
  const double enough = conjugate_share * conjugate_share * size;
  for (int k = 0; k < most_conjugate_steps && size > enough; ++k) {
    X_.dots(at, direction.data(), products.data());
    for (std::size_t i = 0; i < at.size(); ++i) products[i] *= weights[i];
    for (Index j = 0; j < X_.cols(); ++j)
      image[static_cast<std::size_t>(j)] = price(j) * direction[static_cast<std::size_t>(j)];
    X_.add(at, products.data(), image.data());
    double curvature = 0;
    for (std::size_t j = 0; j < width(); ++j) curvature += direction[j] * image[j];
    const double length = product / curvature;
    size = 0;
    double next = 0;
    for (std::size_t j = 0; j < width(); ++j) {
      step[j] += length * direction[j];
      residual[j] -= length * image[j];
      size += residual[j] * residual[j];
      next += residual[j] * residual[j] / diagonal[j];
    }
    for (std::size_t j = 0; j < width(); ++j) direction[j] = residual[j] / diagonal[j] + next / product * direction[j];
    product = next;
    stop_.poll();
  }
  return step;
}

LossSlope Multipliers::slope_along(double t) {
  const Index rows = awake_.size();
  std::vector<LossSlope> sums(static_cast<std::size_t>(shares_of(rows)));
  over_shares(static_cast<Index>(sums.size()), rows, [&](std::size_t share, Index first, Index last) {
    sums[share] = loss_ops().slope(awake_.part(first, last), scale_, t);
  });
  return std::accumulate(sums.begin(), sums.end(), LossSlope{});
}

// The same at the end of a step, with what it changes the values by.
LossSlope Multipliers::go_along(const std::vector<double>& step) {
  const Index rows = awake_.size();
  std::vector<LossSlope> sums(static_cast<std::size_t>(shares_of(rows)));
  over_shares(static_cast<Index>(sums.size()), rows, [&](std::size_t share, Index first_of_share, Index end) {
    over_blocks(first_of_share, end, [&](Index first, Index last) {
      X_.dots(awake_.positions(first, last), step.data(), &awake_.change(first));
      sums[share] = sums[share] + loss_ops().slope(awake_.part(first, last), scale_, 1);
    });
  });
  return std::accumulate(sums.begin(), sums.end(), LossSlope{});
}

// How far to go along the step: to its end, or to where the slope has nearly vanished; by Newton where that stays
// within the bracket, else by the Illinois rule.
double Multipliers::line_search(const std::vector<double>& gradient, const std::vector<double>& step) {
  double slope_at_start = 0, priced = 0;
  for (Index j = 0; j < X_.cols(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    slope_at_start += gradient[at] * step[at];
    if (is_priced(j)) priced += step[at] * step[at];
  }
  double low = 0, high = 1, slope_at_low = slope_at_start, slope_at_high = 0, t = 1;
  int last_side = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto [of_rows, curvature] = tries == 0 ? go_along(step) : slope_along(t);
    const double slope = slope_at_start + t * priced + of_rows;
    if ((t == 1 && slope <= 0) || std::abs(slope) <= -good_slope * slope_at_start) return t;
    const int side = slope > 0 ? 1 : -1;
    if (side > 0) {
      high = t, slope_at_high = slope;
      if (last_side == side) slope_at_low *= 0.5;
    } else {
      low = t, slope_at_low = slope;
      if (last_side == side) slope_at_high *= 0.5;
    }
    last_side = side;
    const double newton = t - slope / (priced + curvature);
    const double secant = low + (high - low) * slope_at_low / (slope_at_low - slope_at_high);
    t = newton > low && newton < high ? newton : secant;
  }
  return low;
}

}  // namespace mercer
