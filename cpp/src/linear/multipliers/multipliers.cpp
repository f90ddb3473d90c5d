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
// before w has moved by its slack over its norm: until then it sleeps.
#include "multipliers.hpp"

#include <limits>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rows so many times farther out than those that move begin, and sleep, at their bounds.
constexpr double uncertain_band = 3;
// How much steeper the envelopes become from one round to the next, and the most rounds.
constexpr double steepening = 4;
constexpr int most_rounds = 60;
// A share of the tolerance that rounding may take unseen.
constexpr double negligible = 1e-2;
// How often a smooth problem is looked at anew where rounding has kept it from its end.
constexpr int most_refreshments = 6;
constexpr int most_steps_a_round = 60;
// Rows fall asleep where more than one in so many can.
constexpr Index few_sleepers = 8;
// How many steps ahead sleepers are looked for that might wake.
constexpr double look_ahead = 4;
// The share of the earlier Gram matrix in Newton's: less after a full step, more after a short one.
constexpr double least_damping = 1e-9;
// Newton's equations are solved to this share of what the envelopes leave of the gap.
constexpr double inner_share = 0.3;
constexpr double small_gap = 1e-6;  // of the objective, where no gap is asked for
// Sums of coefficients that are off by no more than this share of their sizes are as asked for.
constexpr double balanced = 1e-11;

}  // namespace

Multipliers::Multipliers(const LinearRows& X, const LinearProblem& qp, const LinearOptions& options, Stop& stop,
                         std::vector<std::int32_t> members, double factor, double unit, double steepness)
    : X_(X),
      qp_(qp),
      options_(options),
      stop_(stop),
      members_(std::move(members)),
      is_smooth_(!qp.weight.empty() || steepness == 0),
      is_factored_(X.cols() <= options.most_factored),
      is_sample_(steepness == 0 || factor != 1),
      unit_(unit),
      scale_(is_smooth_ ? 1.0 : steepness / unit),
      factor_(factor),
      awake_(static_cast<Index>(members_.size())),
      coef_(awake_.capacity()),
      norm_(awake_.capacity()),
      wakes_at_(awake_.capacity()),
      v_(width(), 0.0) {
  const Index rows = awake_.capacity();
  awake_.resize(rows);
  over_shares(shares_of(rows), rows, [&](std::size_t, Index first, Index last) {
    for (Index k = first; k < last; ++k) put(k, static_cast<std::int32_t>(k));
  });
  if (!is_factored_) return;
  gram_ = Buffer<double>(X.cols() * X.cols());
  earlier_gram_ = zeros(X.cols() * X.cols());
}

void Multipliers::put(Index k, std::int32_t i) {
  const std::int32_t position = members_[static_cast<std::size_t>(i)];
  const auto at = static_cast<std::size_t>(position);
  double lower = factor_ * qp_.lower[at], upper = factor_ * qp_.upper[at], weight = upper - lower;
  if (!qp_.weight.empty()) {
    weight = factor_ * qp_.weight[at];
  } else if (is_smooth_) {
    weight /= unit_;
    if (lower < 0) lower = -infinity;
    if (upper > 0) upper = infinity;
  }
  awake_.number(k) = i;
  awake_.position(k) = position;
  awake_.slope(k) = qp_.slope[at];
  awake_.kink(k) = qp_.kink.empty() ? 0.0 : qp_.kink[at];
  awake_.lower(k) = lower;
  awake_.upper(k) = upper;
  awake_.weight(k) = weight;
  awake_.centre(k) = 0;
  wakes_at_[i] = -infinity;
}

// One pass over the data: while a block is in the cache, its values and norms, its share of sum coef x and of the Gram
// matrix, and for the damping the squares of all features.
void Multipliers::go_to(const std::vector<double>& w, bool keeps_centres) {
  struct Share {
    std::vector<double> sum, squares;
    Index between = 0;
    double largest_norm = 0;
  };
  w_ = w;
  const Index rows = awake_.size();
  const bool damps = is_factored_ && !is_smooth_;
  std::vector<Share> shares(static_cast<std::size_t>(is_factored_ ? gram_shares_of(rows) : shares_of(rows)));
  std::vector<Buffer<double>> grams(is_factored_ ? shares.size() : 0);
  over_shares(static_cast<Index>(shares.size()), rows, [&](std::size_t number, Index first_of_share, Index end) {
    Share& share = shares[number];
    share.sum.assign(width(), 0.0);
    if (damps) share.squares.assign(width(), 0.0);
    if (is_factored_) grams[number] = zeros(gram_.size());
    over_blocks(first_of_share, end, [&](Index first, Index last) {
      const RowList at = awake_.positions(first, last);
      X_.dots(at, w_.data(), &awake_.value(first));
      X_.squared_norms(at, &awake_.norm(first));
      for (Index k = first; k < last; ++k) {
        awake_.norm(k) = std::sqrt(awake_.norm(k));
        share.largest_norm = std::max(share.largest_norm, awake_.norm(k));
      }
      // Far from where they would move, rows begin at their bounds, and may sleep there; others in the middle.
      loss_ops().begin(awake_.part(first, last), scale_, !is_smooth_ && !keeps_centres, uncertain_band);
      X_.add(at, &awake_.coef(first), share.sum.data());
      if (damps) X_.add_squares(at, &awake_.weight(first), share.squares.data());
      if (!is_factored_) return;
      WeightedRows between;
      for (Index k = first; k < last; ++k)
        if (is_between(k)) between.take(awake_.position(k), awake_.weight(k));
      X_.add_gram(between.positions, between.weights.data(), 1.0, grams[number].data());
      share.between += between.size();
    });
  });
  std::ranges::fill(v_, 0.0);
  squares_.assign(width(), 0.0);
  between_ = 0;
  for (const Share& share : shares) {
    for (std::size_t j = 0; j < width(); ++j) v_[j] += share.sum[j];
    for (std::size_t j = 0; j < share.squares.size(); ++j) squares_[j] += share.squares[j];
    between_ += share.between;
    largest_norm_ = std::max(largest_norm_, share.largest_norm);
  }
  most_between_ = between_;
  if (is_factored_) {
    std::fill_n(gram_.data(), gram_.size(), 0.0);
    add_up(grams);
  }
  settle(nullptr, 0, 0);
}

// Their offsets, where free, are the averages over rows between their bounds.
void Multipliers::go_on_from(std::span<const double> coef, double steepness) {
  const Index rows = awake_.size();
  const RowList all = awake_.positions(0, rows);
  std::vector<double> w(width(), 0.0), inside(static_cast<std::size_t>(rows));
  for (Index k = 0; k < rows; ++k) {
    const auto at = static_cast<std::size_t>(k);
    inside[at] = std::clamp(coef[at], awake_.lower(k), awake_.upper(k));
  }
  X_.add(all, inside.data(), w.data());
  if (qp_.free_offsets) {
    std::fill(w.begin() + X_.features(), w.end(), 0.0);
    X_.dots(all, w.data(), &awake_.value(0));
    double sum = 0, count = 0;
    for (Index k = 0; k < rows; ++k) {
      const double own = inside[static_cast<std::size_t>(k)], kink = awake_.kink(k);
      if (!(own > awake_.lower(k) && own < awake_.upper(k)) || (own == 0 && kink > 0)) continue;
      sum += awake_.slope(k) - awake_.value(k) - (own > 0 ? kink : -kink);
      count += 1;
    }
    if (count > 0) std::fill(w.begin() + X_.features(), w.end(), sum / count);
  }
  begin_with(steepness);
  go_to(w);
  if (is_smooth_) return;
  wake(infinity);
  for (Index k = 0; k < rows; ++k) awake_.centre(k) = inside[static_cast<std::size_t>(awake_.number(k))];
  settle(nullptr, 0, 0);
  if (is_factored_) keep_gram(*this);
}

// Brings all that depends on the values up to date after a step: coefficients, their sum of rows, the Gram matrix, who
// sleeps. Those sleep that cannot change before w has gone farther than the horizon.
void Multipliers::settle(const std::vector<double>* step, double t, double horizon) {
  struct Share {
    std::vector<double> sum;
    WeightedRows entered, left;
    std::vector<std::int32_t> sleepers;
    LossStanding of_awake, of_asleep;
  };
  const Index rows = awake_.size();
  std::vector<Share> shares(static_cast<std::size_t>(shares_of(rows)));
  const bool follows = is_factored_ && step;
  const LossMove move{scale_, is_smooth_, step ? t : 0.0, horizon, follows};
  over_shares(static_cast<Index>(shares.size()), rows, [&](std::size_t number, Index first_of_share, Index end) {
    Share& share = shares[number];
    share.sum.assign(width(), 0.0);
    double by[rows_a_block], changes[rows_a_block];
    std::int32_t changed[rows_a_block];
    std::uint8_t events[rows_a_block];
    over_blocks(first_of_share, end, [&](Index first, Index last) {
      loss_ops().settle(awake_.part(first, last), move, share.of_awake, share.of_asleep, by, events);
      std::size_t count = 0;
      for (Index k = first; k < last; ++k) {
        const std::uint8_t event = events[k - first];
        if (event & sum_changed) changed[count] = awake_.position(k), changes[count++] = by[k - first];
        if (event & began_to_move) share.entered.take(awake_.position(k), awake_.weight(k));
        if (event & ceased_to_move) share.left.take(awake_.position(k), awake_.weight(k));
        if (event & may_sleep) share.sleepers.push_back(static_cast<std::int32_t>(k));
      }
      X_.add({changed, count}, changes, share.sum.data());
    });
  });
  if (follows) follow_gram(*step, t);
  awake_standing_ = {};
  WeightedRows entered, left;
  std::vector<std::int32_t> sleepers;
  LossStanding of_sleepers;
  for (const Share& share : shares) {
    for (std::size_t j = 0; j < width(); ++j) v_[j] += share.sum[j];
    entered.take(share.entered);
    left.take(share.left);
    awake_standing_.take(share.of_awake);
    of_sleepers.take(share.of_asleep);
    sleepers.insert(sleepers.end(), share.sleepers.begin(), share.sleepers.end());
  }
  // Few are not worth moving up all others.
  const bool go_to_sleep = few_sleepers * static_cast<Index>(sleepers.size()) > rows;
  (go_to_sleep ? asleep_standing_ : awake_standing_).take(of_sleepers);
  if (go_to_sleep) fall_asleep(sleepers);
  between_ += entered.size() - left.size();
  if (!is_factored_) return;
  // Differences leave the rounding of the largest sum behind, so a Gram matrix that has shrunk is summed anew.
  most_between_ = std::max(most_between_, between_);
  if (entered.size() + left.size() > between_ || 10 * between_ < 3 * most_between_) {
    rebuild_gram();
  } else {
    update_gram(entered, 1.0);
    update_gram(left, -1.0);
  }
}

void Multipliers::fall_asleep(RowList slots) {
  for (const std::int32_t k : slots) {
    const std::int32_t i = awake_.number(k);
    const double slack = awake_.change(k), norm = awake_.norm(k);
    coef_[i] = awake_.coef(k);
    norm_[i] = norm;
    wakes_at_[i] = norm > 0 ? path_ + slack / norm : infinity;
    if (wakes_at_[i] <= looked_ahead_) light_sleepers_.push_back(i);
  }
  awake_.drop(slots, options_.threads);
}

double Multipliers::dual_of(Index k) {
  const double coef = awake_.coef(k), ridge = is_smooth_ ? 1 / awake_.weight(k) : 0.0;
  return awake_.slope(k) * coef - awake_.kink(k) * std::abs(coef) - 0.5 * ridge * coef * coef;
}

// Wakes those whose coefficients could change before w has gone so much further. All others are looked at only where w
// has gone as far as was looked ahead.
void Multipliers::wake(double reach) {
  const double until = path_ + reach;
  if (until > looked_ahead_) {
    looked_ahead_ = path_ + look_ahead * reach;
    light_sleepers_.clear();
    for (Index i = 0; i < wakes_at_.size(); ++i)
      if (wakes_at_[i] >= 0 && wakes_at_[i] <= looked_ahead_) light_sleepers_.push_back(static_cast<std::int32_t>(i));
  }
  const auto woken =
      std::ranges::stable_partition(light_sleepers_, [&](std::int32_t i) { return wakes_at_[i] > until; });
  if (woken.empty()) return;
  const Index before = awake_.size(), count = static_cast<Index>(woken.size());
  awake_.resize(before + count);
  for (Index k = 0; k < count; ++k) {
    const std::int32_t i = woken[static_cast<std::size_t>(k)];
    const Index slot = before + k;
    put(slot, i);
    awake_.norm(slot) = norm_[i];
    awake_.coef(slot) = coef_[i];
    if (!is_smooth_) awake_.centre(slot) = coef_[i];
    asleep_standing_.dual -= dual_of(slot);
    asleep_standing_.size -= std::abs(coef_[i]);
  }
  over_shares(shares_of(count), count, [&](std::size_t, Index first, Index last) {
    X_.dots(awake_.positions(before + first, before + last), w_.data(), &awake_.value(before + first));
  });
  light_sleepers_.resize(light_sleepers_.size() - static_cast<std::size_t>(count));
}

void Multipliers::minimise(int most_steps) {
  for (int k = 0; k < most_steps; ++k) {
    const double share = options_.gap_tol == infinity ? small_gap : options_.gap_tol;
    const double enough = std::max(awake_standing_.gap, share * std::abs(primal()));
    if (gap_of_gradient() <= inner_share * enough && imbalance() <= balanced &&
        (violation() > options_.tol || drift() <= inner_share * options_.tol))
      return;
    const std::vector<double> g = gradient(), step = newton_step(g);
    double length = 0;
    for (const double s : step) length += s * s;
    length = std::sqrt(length);
    wake(length);
    const double t = line_search(g, step);
    if (!(t > 0)) return;
    damping_ = std::clamp(t == 1 ? 0.1 * damping_ : t < 0.3 ? 10 * damping_ : damping_, least_damping, 1.0);
    for (std::size_t j = 0; j < width(); ++j) w_[j] += t * step[j];
    path_ += t * length;
    settle(&step, t, t * length);
    ++steps_;
    if (!is_sample_) stop_.count_steps(1);
    stop_.progress.active_rows = awake_.size();
    stop_.poll();
  }
}

double Multipliers::gap_of_gradient() const {
  double sum = 0;
  for (std::size_t j = 0; j < width(); ++j)
    if (is_priced(static_cast<Index>(j))) sum += 0.5 * (w_[j] - v_[j]) * (w_[j] - v_[j]);
  return sum;
}

double Multipliers::imbalance() const {
  double worst = 0;
  for (std::size_t j = static_cast<std::size_t>(X_.features()); qp_.free_offsets && j < width(); ++j)
    worst = std::max(worst, std::abs(v_[j] - qp_.sums[j - static_cast<std::size_t>(X_.features())]));
  return worst / std::max(awake_standing_.size + asleep_standing_.size, std::numeric_limits<double>::min());
}

double Multipliers::primal() const {
  double dual = awake_standing_.dual + asleep_standing_.dual;
  for (std::size_t j = 0; j < width(); ++j)
    if (is_priced(static_cast<Index>(j))) dual -= 0.5 * v_[j] * v_[j];
  return dual + gap();
}

bool Multipliers::is_reached() const {
  return (options_.gap_tol == infinity || gap() <= options_.gap_tol * std::abs(primal())) && imbalance() <= balanced &&
         violation() + 2 * drift() <= options_.tol;
}

void Multipliers::move_centres() {
  for (Index k = 0; k < awake_.size(); ++k) awake_.centre(k) = awake_.coef(k);
  scale_ *= steepening;
  if (is_factored_) keep_gram(*this);
  damping_ = first_damping;
  settle(nullptr, 0, 0);
}

// Evaluates everything anew: rounding has added up on the way.
void Multipliers::refresh() {
  wake(infinity);
  rounding_ = 0;
  const std::vector<double> w = w_;
  go_to(w, true);
}

LinearSolution Multipliers::solve(Index most_steps) {
  LinearSolution found;
  try {
    const int rounds = is_smooth_ ? most_refreshments : most_rounds;
    for (int round = 0; round < rounds && steps_ < most_steps; ++round) {
      minimise(most_steps_a_round);
      stop_.progress.violation = gap() / std::max(std::abs(primal()), std::numeric_limits<double>::min());
      if (is_reached()) {
        const bool is_sure = 0.5 * rounding_ * rounding_ <= negligible * options_.gap_tol * std::abs(primal());
        if (!is_sure) refresh();
        if (is_sure || is_reached()) {
          found.status = Status::solved;
          break;
        }
      }
      if (is_smooth_)
        refresh();
      else
        move_centres();
    }
  } catch (const Stopped& stopped) {
    found.status = stopped.status;
  }
  found.w = w_;
  found.steps = steps_;
  found.coef = coefficients();
  return found;
}

std::vector<double> Multipliers::coefficients() {
  std::vector<double> all(coef_.data(), coef_.data() + coef_.size());
  for (Index k = 0; k < awake_.size(); ++k) all[static_cast<std::size_t>(awake_.number(k))] = awake_.coef(k);
  return all;
}

}  // namespace mercer
