// The method of multipliers with semismooth Newton steps.
//
// Solves       the problem of linear_problem.hpp
// Given        the rows, the losses, tolerances
// Returns      w with its offsets, and the dual variables
// Stops when   the duality gap is within its tolerance, and the optimality conditions are if that is asked for
// See          Rockafellar (1976), Augmented Lagrangians and applications of the proximal point algorithm; Li, Sun, Toh
//              (2018), A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso problems
//
// The dual variables are c_i(f) = clip(soft(centre_i + h_i (slope_i - f), h_i kink_i), lower_i, upper_i): those of the
// loss itself where it is smooth (squared losses, h = weight, centre = 0), else those of its Moreau envelope around the
// centres, h = scale * (upper - lower). Newton solves w = sum_i c_i(x_i . w) x_i; then the centres move to the c and
// the scale grows. Only rows that are between their bounds enter Newton's matrix, and a row at a bound cannot leave it
// before w has moved by its slack over its norm: until then it is inactive.
#include "multipliers.hpp"

#include <cmath>

#include "conjugate_gradients.hpp"
#include "line_search.hpp"
#include "linear/rows/shares.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// How much steeper the envelopes become from one round to the next, and the most rounds.
constexpr double steepening = 4;
constexpr int most_rounds = 60;
// How often a smooth problem is looked at anew where rounding has kept it from its end.
constexpr int most_refreshments = 6;
constexpr int most_steps_per_round = 60;
// Rows become inactive where more than one in so many can: few are not worth moving up all others.
constexpr Index few_resting = 8;

}  // namespace

Multipliers::Multipliers(const LinearRows& X, const LinearProblem& problem, const LinearOptions& options, Stop& stop,
                         const Sample& sample)
    : X_(X),
      options_(options),
      stop_(stop),
      counts_steps_(sample.steepness != 0 && sample.factor == 1),
      rows_(X, problem, sample, options.threads, stop),
      at_{.penalty = {X.features(), problem}, .w = {}, .v = std::vector<double>(static_cast<std::size_t>(X.cols()))} {
  if (X.cols() <= options.most_factored) newton_.emplace(X, rows_.size(), options.threads, stop);
}

// One pass over the data: while a block is in the cache, its values and norms, its share of sum coef x and of the Gram
// matrix, and for the damping the squares of all features.
void Multipliers::go_to(const std::vector<double>& w, bool keeps_centres) {
  struct Share {
    std::vector<double> sum, squares;
    Index between = 0;
    double largest_norm = 0;
  };
  at_.w = w;
  ActiveRows& active = rows_.active();
  const Index rows = active.size(), count = newton_ ? newton_->count_shares(rows) : count_shares(rows);
  const bool damps = newton_ && !rows_.is_smooth();
  std::vector<Share> shares(static_cast<std::size_t>(count));
  std::vector<Buffer<double>> grams(newton_ ? shares.size() : 0);
  for_each_share(count, rows, options_.threads, stop_, [&](std::size_t number, Index begin, Index end) {
    Share& share = shares[number];
    share.sum.assign(width(), 0.0);
    if (damps) share.squares.assign(width(), 0.0);
    if (newton_) grams[number] = newton_->empty_share();
    for_each_block(begin, end, [&](Index first, Index last) {
      share.largest_norm = std::max(share.largest_norm, rows_.begin(first, last, at_.w.data(), keeps_centres));
      const RowList block = active.positions(first, last);
      X_.add(block, &active.coef(first), share.sum.data());
      if (damps) X_.add_squares(block, &active.weight(first), share.squares.data());
      if (!newton_) return;
      const WeightedRows between = active.between(first, last);
      X_.add_gram(between.positions, between.weights.data(), 1.0, grams[number].data());
      share.between += between.size();
    });
  });
  std::ranges::fill(at_.v, 0.0);
  std::vector<double> squares(width(), 0.0);
  Index between = 0;
  for (const Share& share : shares) {
    for (std::size_t j = 0; j < width(); ++j) at_.v[j] += share.sum[j];
    for (std::size_t j = 0; j < share.squares.size(); ++j) squares[j] += share.squares[j];
    between += share.between;
    at_.largest_norm = std::max(at_.largest_norm, share.largest_norm);
  }
  if (newton_) newton_->assemble(grams, between, std::move(squares));
  settle(nullptr, 0, 0);
}

void Multipliers::go_on_from(std::span<const double> coef, double steepness) {
  ActiveRows& active = rows_.active();
  const Index rows = active.size();
  std::vector<double> w(width(), 0.0), inside(static_cast<std::size_t>(rows));
  for (Index k = 0; k < rows; ++k) {
    const auto at = static_cast<std::size_t>(k);
    inside[at] = std::clamp(coef[at], active.lower(k), active.upper(k));
  }
  X_.add(active.positions(0, rows), inside.data(), w.data());
  if (at_.penalty.has_free_offsets()) set_free_offsets(inside, w);
  begin_with(steepness);
  go_to(w);
  if (rows_.is_smooth()) return;
  rows_.activate(infinity, at_.w, at_.inactive);
  rows_.set_centres(inside);
  settle(nullptr, 0, 0);
  if (newton_) newton_->damp_with(*newton_);
}

// Offsets of coefficients are the averages over rows between their bounds.
void Multipliers::set_free_offsets(const std::vector<double>& coef, std::vector<double>& w) {
  ActiveRows& active = rows_.active();
  const auto offsets = std::span(w).subspan(static_cast<std::size_t>(X_.features()));
  std::ranges::fill(offsets, 0.0);
  X_.dots(active.positions(0, active.size()), w.data(), &active.value(0));
  double sum = 0, count = 0;
  for (Index k = 0; k < active.size(); ++k) {
    const double own = coef[static_cast<std::size_t>(k)], kink = active.kink(k);
    if (!(own > active.lower(k) && own < active.upper(k)) || (own == 0 && kink > 0)) continue;
    sum += active.slope(k) - active.value(k) - (own > 0 ? kink : -kink);
    count += 1;
  }
  if (count > 0) std::ranges::fill(offsets, sum / count);
}

// Brings all that depends on the values up to date after a step: coefficients, their sum of rows, the Gram matrix, and
// which rows are active: not those that cannot change before w has gone farther than the horizon.
void Multipliers::settle(const std::vector<double>* step, double t, double horizon) {
  const bool follows = newton_ && step;
  if (follows) at_.rounding += newton_->follow(*step, t * rows_.scale(), at_.v);
  const Index rows = rows_.active().size();
  const RowMoves moves = rows_.move(t, horizon, follows);
  for (const std::vector<double>& sum : moves.sums)
    for (std::size_t j = 0; j < width(); ++j) at_.v[j] += sum[j];
  at_.active = moves.totals;
  const bool deactivates = few_resting * static_cast<Index>(moves.resting.size()) > rows;
  (deactivates ? at_.inactive : at_.active).take(moves.totals_of_resting);
  if (deactivates) rows_.deactivate(moves.resting);
  if (newton_)
    newton_->update(moves.entered, moves.left, [&] { return rows_.active().between(0, rows_.active().size()); });
}

std::vector<double> Multipliers::newton_step(const std::vector<double>& gradient) {
  if (newton_) return newton_->step(gradient, rows_.scale(), at_.penalty);
  return step_by_conjugate_gradients(X_, rows_.active().between(0, rows_.active().size()), rows_.scale(), at_.penalty,
                                     gradient, stop_);
}

double Multipliers::line_search(const std::vector<double>& gradient, const std::vector<double>& step) {
  LossSlope start;
  for (std::size_t j = 0; j < width(); ++j) {
    start.first += gradient[j] * step[j];
    if (at_.penalty.covers(static_cast<Index>(j))) start.second += step[j] * step[j];
  }
  return search_along(start, rows_.slope_along_step(step), [&](double t) { return rows_.slope_along(t); });
}

void Multipliers::minimise(int most_steps) {
  for (int k = 0; k < most_steps && !at_.is_at_minimum(options_); ++k) {
    const std::vector<double> g = at_.gradient(), step = newton_step(g);
    double length = 0;
    for (const double s : step) length += s * s;
    length = std::sqrt(length);
    rows_.activate(length, at_.w, at_.inactive);
    const double t = line_search(g, step);
    if (!(t > 0)) return;
    if (newton_) newton_->adapt_damping(t);
    for (std::size_t j = 0; j < width(); ++j) at_.w[j] += t * step[j];
    rows_.advance(t * length);
    settle(&step, t, t * length);
    ++steps_;
    if (counts_steps_) stop_.count_steps(1);
    stop_.progress.active_rows = rows_.active().size();
    stop_.poll();
  }
}

void Multipliers::move_centres() {
  rows_.steepen(steepening);
  if (newton_) {
    newton_->damp_with(*newton_);
    newton_->reset_damping();
  }
  settle(nullptr, 0, 0);
}

// Evaluates everything anew: rounding has added up on the way.
void Multipliers::refresh() {
  rows_.activate(infinity, at_.w, at_.inactive);
  at_.rounding = 0;
  const std::vector<double> w = at_.w;
  go_to(w, true);
}

LinearSolution Multipliers::solve(Index most_steps) {
  LinearSolution found;
  try {
    const int rounds = rows_.is_smooth() ? most_refreshments : most_rounds;
    for (int round = 0; round < rounds && steps_ < most_steps; ++round) {
      minimise(most_steps_per_round);
      stop_.progress.violation = at_.gap() / std::max(std::abs(at_.primal()), std::numeric_limits<double>::min());
      if (at_.is_optimal(options_)) {
        const bool is_sure = at_.is_exact(options_);
        if (!is_sure) refresh();
        if (is_sure || at_.is_optimal(options_)) {
          found.status = Status::solved;
          break;
        }
      }
      if (rows_.is_smooth())
        refresh();
      else
        move_centres();
    }
  } catch (const Stopped& stopped) {
    found.status = stopped.status;
  }
  found.w = at_.w;
  found.steps = steps_;
  found.coef = rows_.coefficients();
  return found;
}

}  // namespace mercer
