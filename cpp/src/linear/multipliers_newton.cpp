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

void Multipliers::rebuild_gram() {
  const std::vector<std::int32_t> list = between();
  between_ = most_between_ = static_cast<Index>(list.size());
  std::fill_n(gram_.data(), gram_.size(), 0.0);
  update_gram(list, 1.0);
}

void Multipliers::update_gram(RowList list, double sign) {
  if (list.empty()) return;
  std::vector<Buffer<double>> sums(static_cast<std::size_t>(shares_of(list)));
  over_shares(list, [&](std::size_t share, RowList part) {
    std::vector<double> weights(part.size());
    for (std::size_t k = 0; k < part.size(); ++k) weights[k] = row(part[k]).weight;
    sums[share] = zeros(gram_.size());
    X_.add_gram(positions(part), weights.data(), sign, sums[share].data());
  });
  for (const Buffer<double>& sum : sums)
    for (Index e = 0; e < gram_.size(); ++e) gram_[e] += sum[e];
}

// Features that its rows lack count as if the rows were like all.
void Multipliers::keep_gram(const Multipliers& other) {
  std::copy_n(other.gram_.data(), gram_.size(), earlier_gram_.data());
  const double share = static_cast<double>(other.between_) / static_cast<double>(other.rows_.size());
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

std::vector<double> Multipliers::by_conjugate_gradients(const std::vector<double>& gradient) const {
  const std::vector<std::int32_t> list = between(), at = positions(list);
  std::vector<double> weights(list.size()), products(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) weights[k] = scale_ * row(list[k]).weight;
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
    for (std::size_t i = 0; i < list.size(); ++i) products[i] *= weights[i];
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

// What the rows add to the first and second derivative of the envelopes' objective along the step, as far as it
// changes.
Multipliers::Slope Multipliers::slope_of(RowList part, double t) const {
  Slope sum;
  for (const std::int32_t i : part) {
    const LossRow& own = row(i);
    bool moves;
    const double h = scale_ * own.weight;
    sum.first += (own.coef - own.coef_at(own.value + t * own.change, h, &moves)) * own.change;
    if (moves) sum.second += h * own.change * own.change;
  }
  return sum;
}

Multipliers::Slope Multipliers::slope_along(double t) const {
  std::vector<Slope> sums(static_cast<std::size_t>(shares_of(awake_)));
  over_shares(awake_, [&](std::size_t share, RowList part) { sums[share] = slope_of(part, t); });
  return std::accumulate(sums.begin(), sums.end(), Slope{});
}

// The same at the end of a step, with what it changes the values by.
Multipliers::Slope Multipliers::go_along(const std::vector<double>& step) {
  std::vector<Slope> sums(static_cast<std::size_t>(shares_of(awake_)));
  over_shares(awake_, [&](std::size_t share, RowList part) {
    products(part, step.data(), [&](RowList block, RowList, const double* values) {
      for (std::size_t i = 0; i < block.size(); ++i) row(block[i]).change = values[i];
      sums[share] = sums[share] + slope_of(block, 1);
    });
  });
  return std::accumulate(sums.begin(), sums.end(), Slope{});
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
