// Proximal Newton steps.
//
// Solves       the problem of lasso.hpp, all columns at once
// Given        the columns, and weights to start from
// Returns      weights, values, and a feasible point of the dual
// Stops when   the duality gap is within its tolerance, or rounding keeps the objective from falling
// See          Lee, Sun, Saunders (2014), Proximal Newton-type methods for minimizing composite functions;
//              Yuan, Ho, Lin (2012), An improved GLMNET for L1-regularized logistic regression
//
// The loss of a row has the curvature 2 C within the margin and none beyond, so that a step changes Newton's matrix
// only by the rows that cross the margin. Along a step the objective is convex: the line search goes to its minimum.
#include "newton.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/rows/shares.hpp"
#include "mercer/buffer.hpp"
#include "model.hpp"

namespace mercer {
namespace {

// The most steps; where they do not suffice, rounding rules.
constexpr int most_steps = 300;
// Steps without a better objective, primal or dual, before that is certain.
constexpr int most_idle_steps = 5;
constexpr double least_progress = 1e-14;
// The share of the squares of a column, over all rows, that is added to Newton's matrix: less after a full step, more
// after a short one.
constexpr double first_damping = 1e-6;
constexpr double least_damping = 1e-12;
constexpr double most_damping = 1.0;
constexpr double short_step = 0.3;
// So many short steps are a struggle.
constexpr int most_short_steps = 3;
// A step is good once the slope along it has fallen to this share.
constexpr double good_slope = 0.1;
constexpr int most_tries = 40;
// The offset is in the middle where the coefficients add up to no more than this share of their sizes.
constexpr double balanced = 1e-15;
constexpr int most_centring_steps = 60;
// A sweep over the coordinates costs the square of the columns with a matrix, which is nothing where these are few, and
// the entries stored without.
constexpr Index matrix_share = 2;

Index stored_in(const Matrix& X) {
  return std::visit(
      [](const auto& view) -> Index {
        if constexpr (requires { view.indptr; })
          return view.indptr[view.rows] - view.indptr[0];
        else
          return view.rows * view.cols;
      },
      X);
}

}  // namespace

LassoNewton::LassoNewton(const Matrix& X, const LinearProblem& problem, const LassoOptions& options, Stop& stop)
    : X_(linear_rows(X, {}, problem.offsets)),
      problem_(problem),
      threads_(options.threads),
      stop_(stop),
      all_(static_cast<std::size_t>(X_->size())),
      penalty_(width(), 1.0),
      squares_(width(), 0.0),
      coef_(all_.size(), 0.0),
      feasible_(all_.size(), 0.0),
      damping_(first_damping) {
  std::iota(all_.begin(), all_.end(), 0);
  if (has_free_offset()) penalty_.back() = 0;
  RowShares(all_, threads_, stop_).sum(squares_.data(), X_->cols(), [&](RowList part, std::size_t first, double* sum) {
    X_->add_squares(part, problem_.weight.data() + first, sum);
  });
  const bool is_sparse = X_->cols() > options.most_whole && X_->cols() * X_->cols() > matrix_share * stored_in(X);
  if (X_->cols() > options.most_factored || is_sparse)
    columns_.emplace(X, problem.offsets);
  else
    gram_.emplace(*X_, problem.weight, threads_, stop_);
}

void LassoNewton::start(std::vector<double> w, std::vector<double> values) {
  w_ = std::move(w);
  values_ = std::move(values);
}

LassoNewton::End LassoNewton::minimise(double scale, double gap_tol, bool may_struggle) {
  double best_primal = std::numeric_limits<double>::infinity(), best_dual = 0;
  int idle = 0;
  scale_ = scale;
  dual_ = 0;
  short_steps_ = 0;
  for (int steps = 0; steps <= most_steps; ++steps) {
    centre();
    measure();
    stop_.progress.active_rows = static_cast<Index>(active_.size());
    stop_.progress.violation = primal_ > 0 ? gap() / primal_ : 0.0;
    if (gap() <= gap_tol * primal_) return End::solved;
    if (may_struggle && short_steps_ >= most_short_steps) return End::struggling;
    idle = primal_ < best_primal * (1 - least_progress) || dual_ > best_dual * (1 + least_progress) ? 0 : idle + 1;
    if (idle > most_idle_steps) break;
    best_primal = std::min(best_primal, primal_);
    best_dual = dual_;
    if (gram_) gram_->follow(active_);
    if (!step()) {
      if (damping_ >= most_damping) break;
      damping_ = std::min(most_damping, 1e3 * damping_);
    }
    stop_.count_steps(1);
    stop_.poll();
  }
  return End::stalled;
}

// Moves a free offset to where the coefficients add up to zero: Newton's steps within a bracket.
void LassoNewton::centre() {
  if (!has_free_offset()) return;
  double low = -std::numeric_limits<double>::infinity(), high = -low, by = 0;
  for (int k = 0; k < most_centring_steps; ++k) {
    double sum = 0, size = 0, curvature = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double t = problem_.slope[i], margin = 1 - t * (values_[i] + by);
      if (!(margin > 0)) continue;
      sum += weight(i) * margin * t;
      size += weight(i) * margin;
      curvature += weight(i);
    }
    if (std::abs(sum) <= balanced * size || curvature == 0) break;
    (sum > 0 ? low : high) = by;
    const double newton = by + sum / curvature;
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (newton == by || next == by || !std::isfinite(next)) break;
    by = next;
  }
  for (double& f : values_) f += by;
  w_.back() += by / problem_.offsets.value;
}

// Coefficients, their sum of rows, both objectives.
void LassoNewton::measure() {
  active_.clear();
  double loss = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double left = std::max(0.0, margin(i)), size = weight(i) * left;
    loss += 0.5 * size * left;
    coef_[i] = size * problem_.slope[i];
    if (size > 0) active_.push_back(static_cast<std::int32_t>(i));
  }
  balance();
  std::vector<double> of_active(active_.size());
  for (std::size_t k = 0; k < active_.size(); ++k) of_active[k] = coef_[static_cast<std::size_t>(active_[k])];
  sums_.assign(width(), 0.0);
  RowShares(active_, threads_, stop_).sum(sums_.data(), X_->cols(), [&](RowList part, std::size_t first, double* sum) {
    X_->add(part, of_active.data() + first, sum);
  });
  primal_ = loss;
  double largest = 0;
  for (std::size_t j = 0; j < width(); ++j) {
    primal_ += penalty_[j] * std::abs(w_[j]);
    if (!is_free(j)) largest = std::max(largest, std::abs(sums_[j]));
  }
  const FeasibleMultiple multiple(problem_, scale_, coef_, largest);
  if (multiple.dual <= dual_) return;
  dual_ = multiple.dual;
  for (std::size_t i = 0; i < coef_.size(); ++i) feasible_[i] = multiple.factor * coef_[i];
}

// Takes from the larger side what rounding left of the sum of the coefficients.
void LassoNewton::balance() {
  if (!has_free_offset()) return;
  double up = 0, down = 0;
  for (const double c : coef_) (c > 0 ? up : down) += std::abs(c);
  const double factor_up = up > down ? down / up : 1.0, factor_down = down > up ? up / down : 1.0;
  for (double& c : coef_) c *= c > 0 ? factor_up : factor_down;
}

std::vector<double> LassoNewton::model_minimum() const {
  const Index n = X_->cols();
  std::vector<double> gradient(width()), ridge(width());
  for (std::size_t j = 0; j < width(); ++j) {
    gradient[j] = -sums_[j];
    ridge[j] = damping_ * scale_ * squares_[j];
  }
  const LassoModel model{w_, gradient, penalty_, ridge};
  if (columns_) {
    std::vector<double> curvatures(all_.size(), 0.0);
    for (const std::int32_t i : active_) curvatures[static_cast<std::size_t>(i)] = weight(static_cast<std::size_t>(i));
    return minimise_by_columns(model, *columns_, curvatures, stop_);
  }
  Buffer<double> H(n * n);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b <= a; ++b) H[a * n + b] = H[b * n + a] = scale_ * gram_->data()[a * n + b];
  return minimise_by_matrix(model, H.data(), stop_);
}

// One step of Newton's; false where the objective does not fall along it.
bool LassoNewton::step() {
  std::vector<double> step = model_minimum();
  for (std::size_t j = 0; j < width(); ++j) step[j] -= w_[j];
  std::vector<double> changes(all_.size());
  RowShares(all_, threads_, stop_).each([&](RowList part, std::size_t first) {
    X_->dots(part, step.data(), changes.data() + first);
  });
  const double t = line_search(step, changes);
  if (!(t > 0)) return false;
  short_steps_ += t < short_step;
  damping_ = std::clamp(t == 1           ? 0.1 * damping_
                        : t < short_step ? 10 * damping_
                                         : damping_,
                        least_damping, most_damping);
  for (std::size_t j = 0; j < width(); ++j) w_[j] += t * step[j];
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += t * changes[i];
  return true;
}

// How far to go along the step: to its end, or to where the slope of the objective has nearly vanished; by Newton where
// that stays within the bracket, else by halves.
double LassoNewton::line_search(std::span<const double> step, std::span<const double> changes) const {
  const auto slopes = [&](double t) {
    double slope = 0, curvature = 0;
    for (std::size_t j = 0; j < step.size(); ++j) {
      const double at = w_[j] + t * step[j];
      slope += penalty_[j] * (at > 0 ? step[j] : at < 0 ? -step[j] : t == 0 ? std::abs(step[j]) : -std::abs(step[j]));
    }
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const double change = problem_.slope[i] * changes[i], left = margin(i) - t * change;
      if (!(left > 0)) continue;
      slope -= weight(i) * left * change;
      curvature += weight(i) * change * change;
    }
    return std::pair(slope, curvature);
  };
  const double at_start = slopes(0).first;
  if (!(at_start < 0)) return 0;
  double low = 0, high = 1, t = 1;
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto [slope, curvature] = slopes(t);
    if ((t == 1 && slope <= 0) || std::abs(slope) <= -good_slope * at_start) return t;
    (slope > 0 ? high : low) = t;
    const double newton = t - slope / curvature;
    t = newton > low && newton < high ? newton : 0.5 * (low + high);
  }
  return low;
}

}  // namespace mercer
