// The method of multipliers with semismooth Newton steps.
//
// Solves       the problem of linear.hpp
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
// The share of the earlier Gram matrix in Newton's: less after a full step, more after a short one.
constexpr double least_damping = 1e-9;
// Newton's equations are solved to this share of what the envelopes leave of the gap.
constexpr double inner_share = 0.3;
constexpr double small_gap = 1e-6;  // of the objective, where no gap is asked for
// Sums of coefficients that are off by no more than this share of their sizes are as asked for.
constexpr double balanced = 1e-11;

}  // namespace

Multipliers::Multipliers(const LinearRows& X, const LinearQp& qp, const LinearOptions& options, Stop& stop,
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
      rows_(members_.size()),
      awake_(members_.size()),
      wakes_at_(members_.size(), -infinity),
      v_(width(), 0.0) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i] = row_of(static_cast<std::size_t>(members_[i]), factor, unit);
    awake_[i] = static_cast<std::int32_t>(i);
  }
  if (!is_factored_) return;
  gram_ = Buffer<double>(X.cols() * X.cols());
  earlier_gram_ = zeros(X.cols() * X.cols());
}

LossRow Multipliers::row_of(std::size_t i, double factor, double unit) const {
  LossRow row{};
  row.slope = qp_.slope[i];
  row.kink = qp_.kink.empty() ? 0.0 : qp_.kink[i];
  row.lower = factor * qp_.lower[i];
  row.upper = factor * qp_.upper[i];
  if (!qp_.weight.empty()) {
    row.weight = factor * qp_.weight[i];
    row.ridge = 1 / row.weight;
  } else if (is_smooth_) {
    row.weight = (row.upper - row.lower) / unit;
    row.ridge = 1 / row.weight;
    if (row.lower < 0) row.lower = -infinity;
    if (row.upper > 0) row.upper = infinity;
  } else {
    row.weight = row.upper - row.lower;
  }
  return row;
}

// One pass over the data: while a block is in the cache, its values and norms, its share of sum coef x and of the Gram
// matrix, and for the damping the squares of all features.
void Multipliers::go_to(const std::vector<double>& w, bool keeps_centres) {
  struct Share {
    std::vector<double> sum, squares;
    Buffer<double> gram;
    Index between = 0;
    double largest_norm = 0;
  };
  w_ = w;
  const bool damps = is_factored_ && !is_smooth_;
  std::vector<Share> shares(static_cast<std::size_t>(shares_of(awake_)));
  over_shares(awake_, [&](std::size_t number, RowList part) {
    Share& share = shares[number];
    share.sum.assign(width(), 0.0);
    if (damps) share.squares.assign(width(), 0.0);
    if (is_factored_) share.gram = zeros(gram_.size());
    double norms[rows_a_block], weights[rows_a_block], coefs[rows_a_block], weights_between[rows_a_block];
    std::int32_t between[rows_a_block];
    products(part, w_.data(), [&](RowList block, RowList at, const double* values) {
      X_.squared_norms(at, norms);
      std::size_t count = 0;
      for (std::size_t k = 0; k < block.size(); ++k) {
        LossRow& own = row(block[k]);
        own.value = values[k];
        own.norm = std::sqrt(norms[k]);
        share.largest_norm = std::max(share.largest_norm, own.norm);
        weights[k] = own.weight;
        if (!is_smooth_ && !keeps_centres) {
          // Far from where they would move, rows begin at their bounds, and may sleep there; others in the middle.
          bool moves;
          own.centre = 0.5 * (own.lower + own.upper);
          const double coef = own.coef_at(own.value, scale_ * own.weight / uncertain_band, &moves);
          if (!moves) own.centre = coef;
        }
        own.coef = coefs[k] = own.coef_at(own.value, scale_ * own.weight, &own.between);
        if (!own.between) continue;
        between[count] = at[k];
        weights_between[count++] = own.weight;
      }
      X_.add(at, coefs, share.sum.data());
      if (damps) X_.add_squares(at, weights, share.squares.data());
      if (is_factored_) X_.add_gram({between, count}, weights_between, 1.0, share.gram.data());
      share.between += static_cast<Index>(count);
    });
  });
  std::ranges::fill(v_, 0.0);
  squares_.assign(width(), 0.0);
  if (is_factored_) std::fill_n(gram_.data(), gram_.size(), 0.0);
  between_ = 0;
  for (const Share& share : shares) {
    for (std::size_t j = 0; j < width(); ++j) v_[j] += share.sum[j];
    for (std::size_t j = 0; j < share.squares.size(); ++j) squares_[j] += share.squares[j];
    for (Index e = 0; e < share.gram.size(); ++e) gram_[e] += share.gram[e];
    between_ += share.between;
    largest_norm_ = std::max(largest_norm_, share.largest_norm);
  }
  most_between_ = between_;
  settle(nullptr, 0, 0);
}

// Their offsets, where free, are the averages over rows between their bounds.
void Multipliers::go_on_from(std::span<const double> coef) {
  std::vector<double> w(width(), 0.0), inside(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) inside[i] = std::clamp(coef[i], rows_[i].lower, rows_[i].upper);
  X_.add(members_, inside.data(), w.data());
  if (qp_.free_offsets) {
    std::fill(w.begin() + X_.features(), w.end(), 0.0);
    std::vector<double> values(rows_.size());
    X_.dots(members_, w.data(), values.data());
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const LossRow& own = rows_[i];
      if (!(inside[i] > own.lower && inside[i] < own.upper) || (inside[i] == 0 && own.kink > 0)) continue;
      sum += own.slope - values[i] - (inside[i] > 0 ? own.kink : -own.kink);
      count += 1;
    }
    if (count > 0) std::fill(w.begin() + X_.features(), w.end(), sum / count);
  }
  begin_with(most_steepness);
  go_to(w);
  if (is_smooth_) return;
  wake(infinity);
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].centre = inside[i];
  settle(nullptr, 0, 0);
  if (is_factored_) keep_gram(*this);
}

// Brings all that depends on the values up to date after a step: coefficients, their sum of rows, the Gram matrix, who
// sleeps. Those sleep that cannot change before w has gone farther than the horizon.
void Multipliers::settle(const std::vector<double>* step, double t, double horizon) {
  struct Share {
    std::vector<double> sum;
    std::vector<std::int32_t> entered, left, kept;
    LossStanding awake, asleep;
  };
  std::vector<Share> shares(static_cast<std::size_t>(shares_of(awake_)));
  const bool follows = is_factored_ && step;
  over_shares(awake_, [&](std::size_t share, RowList part) {
    Share& own_share = shares[share];
    std::vector<std::int32_t> changed;
    std::vector<double> by;
    for (const std::int32_t i : part) {
      LossRow& own = row(i);
      if (step) own.value += t * own.change;
      bool moves;
      const double coef = own.coef_at(own.value, scale_ * own.weight, &moves);
      const bool stays = moves && own.between && (own.kink == 0 || (coef > 0) == (own.coef > 0));
      if (coef != own.coef && !(follows && stays)) {
        // What following the Gram matrix assumes of a row that was between its bounds is taken back.
        const double assumed = follows && own.between ? -scale_ * own.weight * t * own.change : 0.0;
        changed.push_back(members_[static_cast<std::size_t>(i)]);
        by.push_back(coef - own.coef - assumed);
      } else if (coef == own.coef && follows && own.between && !stays) {
        changed.push_back(members_[static_cast<std::size_t>(i)]);
        by.push_back(scale_ * own.weight * t * own.change);
      }
      if (moves != own.between) (moves ? own_share.entered : own_share.left).push_back(i);
      own.coef = coef;
      own.between = moves;
      const double slack = moves ? -1.0 : own.slack();
      if (slack > horizon * own.norm) {
        wakes_at_[static_cast<std::size_t>(i)] = own.norm > 0 ? path_ + slack / own.norm : infinity;
        own_share.asleep.take(own);
      } else {
        own_share.kept.push_back(i);
        own_share.awake.take(own);
      }
    }
    if (changed.empty()) return;
    own_share.sum.assign(width(), 0.0);
    X_.add(changed, by.data(), own_share.sum.data());
  });
  if (follows) follow_gram(*step, t);
  awake_standing_ = {};
  std::vector<std::int32_t> entered, left;
  awake_.clear();
  for (const Share& share : shares) {
    for (std::size_t j = 0; j < share.sum.size(); ++j) v_[j] += share.sum[j];
    entered.insert(entered.end(), share.entered.begin(), share.entered.end());
    left.insert(left.end(), share.left.begin(), share.left.end());
    awake_.insert(awake_.end(), share.kept.begin(), share.kept.end());
    awake_standing_.take(share.awake);
    asleep_standing_.take(share.asleep);
  }
  between_ += static_cast<Index>(entered.size()) - static_cast<Index>(left.size());
  if (!is_factored_) return;
  // Differences leave the rounding of the largest sum behind, so a Gram matrix that has shrunk is summed anew.
  most_between_ = std::max(most_between_, between_);
  if (static_cast<Index>(entered.size() + left.size()) > between_ || 10 * between_ < 3 * most_between_) {
    rebuild_gram();
  } else {
    update_gram(entered, 1.0);
    update_gram(left, -1.0);
  }
}

// Wakes those whose coefficients could change before w has gone so much further.
void Multipliers::wake(double reach) {
  std::vector<std::int32_t> woken;
  for (std::size_t i = 0; i < wakes_at_.size(); ++i)
    if (wakes_at_[i] >= 0 && wakes_at_[i] <= path_ + reach) woken.push_back(static_cast<std::int32_t>(i));
  if (woken.empty()) return;
  for (const std::int32_t i : woken) {
    wakes_at_[static_cast<std::size_t>(i)] = -infinity;
    asleep_standing_.dual -= row(i).dual();
    asleep_standing_.size -= std::abs(row(i).coef);
  }
  over_shares(woken, [&](std::size_t, RowList part) {
    products(part, w_.data(), [&](RowList block, RowList, const double* values) {
      for (std::size_t k = 0; k < block.size(); ++k) row(block[k]).value = values[k];
    });
  });
  const auto middle = static_cast<std::ptrdiff_t>(awake_.size());
  awake_.insert(awake_.end(), woken.begin(), woken.end());
  std::inplace_merge(awake_.begin(), awake_.begin() + middle, awake_.end());
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
    stop_.progress.active_rows = static_cast<Index>(awake_.size());
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
  for (const std::int32_t i : awake_) row(i).centre = row(i).coef;
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

LinearSolution Multipliers::solve() {
  LinearSolution found;
  try {
    for (int round = 0; round < (is_smooth_ ? most_refreshments : most_rounds); ++round) {
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
  found.coef.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) found.coef[i] = rows_[i].coef;
  return found;
}

}  // namespace mercer
