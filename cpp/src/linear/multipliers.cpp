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
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "mercer/buffer.hpp"
#include "mercer/cholesky.hpp"
#include "mercer/linear.hpp"
#include "mercer/pool.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Samples grow by this factor, from some rows a feature on, and are solved roughly.
constexpr Index sample_growth = 8;
constexpr Index rows_a_feature = 4;
constexpr Index smallest_sample = 1000;
constexpr int steps_a_sample = 6;
constexpr double gap_of_samples = 1e-2;
// The larger a sample, the better the values that its weights give, and the steeper the envelopes may begin.
constexpr double steepness_of_samples = 0.25;
constexpr double most_steepness = 16;
// Rows so many times farther out than those that move begin, and sleep, at their bounds.
constexpr double uncertain_band = 3;
// How much steeper the envelopes become from one round to the next, and the most rounds.
constexpr double first_scale = 0.5;
constexpr double steepening = 4;
constexpr int most_rounds = 60;
// A share of the tolerance that rounding may take unseen.
constexpr double negligible = 1e-2;
// How often a smooth problem is looked at anew where rounding has kept it from its end.
constexpr int most_refreshments = 6;
constexpr int most_steps_a_round = 60;
// A step is good once the slope along it has fallen to this share.
constexpr double good_slope = 0.1;
constexpr int most_tries = 30;
// The share of the earlier Gram matrix in Newton's: less after a full step, more after a short one.
constexpr double first_damping = 0.1;
constexpr double least_damping = 1e-9;
// Newton's equations are solved to this share of what the envelopes leave of the gap.
constexpr double inner_share = 0.3;
constexpr double small_gap = 1e-6;  // of the objective, where no gap is asked for
// Rows are shared out to threads in parts, each with sums of its own; and read in blocks that fit the caches.
constexpr Index rows_a_share = 512;
constexpr Index most_shares = 16;
constexpr Index most_numbers = 4'000'000;  // of the Gram matrices of all shares together
constexpr std::size_t rows_a_block = 128;
// What the square of a free offset costs in Newton's matrix, so that it has one even where no row moves.
constexpr double price_of_free = 1e-10;
// Sums of coefficients that are off by no more than this share of their sizes are as asked for.
constexpr double balanced = 1e-11;
// Conjugate gradients go on until the residual has fallen to this share.
constexpr double conjugate_share = 0.1;
constexpr int most_conjugate_steps = 200;

// A row, its loss, and where it is.
struct Row {
  double slope, lower, upper, kink;
  double weight;  // of the row in Newton's matrix, but for the scale
  double ridge;   // the price of coef^2 / 2; zero where the loss is not smooth
  double centre = 0, coef = 0, value = 0, change = 0;
  double norm = 0;
  bool between = false;  // its bounds, so that it moves with the value

  // The dual variable at another value.
  double coef_at(double f, double h, bool* moves) const {
    const double c = centre + h * (slope - f), threshold = h * kink;
    const double soft = c > threshold ? c - threshold : c < -threshold ? c + threshold : 0.0;
    *moves = soft > lower && soft < upper && (soft != 0 || kink == 0);
    return std::clamp(soft, lower, upper);
  }
  // What the row adds to the dual objective, and what it adds to the duality gap.
  double dual() const { return slope * coef - kink * std::abs(coef) - 0.5 * ridge * coef * coef; }
  double gap() const {
    const double r = slope - value;
    const double excess = r > kink ? r - kink : r < -kink ? r + kink : 0.0;
    const double best = excess == 0  ? 0.0
                        : ridge > 0  ? std::clamp(excess / ridge, lower, upper)
                        : excess > 0 ? upper
                                     : lower;
    const double loss = best == 0 ? 0.0 : best * r - kink * std::abs(best) - 0.5 * ridge * best * best;
    return loss - (coef * r - kink * std::abs(coef) - 0.5 * ridge * coef * coef);
  }
  // How far the value may move before the coefficient leaves the bound at which it and its centre rest; negative where
  // they do not.
  double slack() const {
    const double r = slope - value;
    if (ridge == 0 && coef != centre) return -1;
    if (lower == upper) return infinity;
    if (coef == upper) return upper > 0 ? r - kink - ridge * upper : r + kink;
    if (coef == lower) return lower < 0 ? -r - kink + ridge * lower : kink - r;
    return coef == 0 ? kink - std::abs(r) : -1;
  }
  // What a larger and a smaller coefficient would gain, at most zero at the optimum.
  double gain_up() const { return coef < upper ? slope - value + (coef < 0 ? kink : -kink) - ridge * coef : -infinity; }
  double gain_down() const {
    return coef > lower ? value - slope + (coef > 0 ? kink : -kink) + ridge * coef : -infinity;
  }
};

// Where the method stands, summed over rows.
struct Standing {
  double gap = 0;                     // the share of the rows in the duality gap
  double dual = 0;                    // that in the dual objective
  double size = 0;                    // sum |coef|
  double gain_up = 0, gain_down = 0;  // the most that a larger and a smaller coefficient would gain

  void take(const Row& row) {
    gap += row.gap();
    dual += row.dual();
    size += std::abs(row.coef);
    gain_up = std::max(gain_up, row.gain_up());
    gain_down = std::max(gain_down, row.gain_down());
  }
  void take(const Standing& other) {
    gap += other.gap;
    dual += other.dual;
    size += other.size;
    gain_up = std::max(gain_up, other.gain_up);
    gain_down = std::max(gain_down, other.gain_down);
  }
};

Buffer<double> zeros(Index size) {
  Buffer<double> found(size);
  std::fill_n(found.data(), size, 0.0);
  return found;
}

class Multipliers {
 public:
  // The problem on some rows, whose losses count `factor` times. The envelopes begin with a steepness; zero asks for
  // the squared loss instead, which has a step to take from anywhere.
  Multipliers(const LinearRows& X, const LinearQp& qp, const LinearOptions& options, Stop& stop,
              std::vector<std::int32_t> members, double factor, double unit, double steepness);

  // Sets how steep the envelopes are, before going anywhere.
  void begin_with(double steepness) {
    if (!is_smooth_) scale_ = steepness / unit_;
  }
  // Damps the first steps with a Gram matrix of a sample, or of another loss.
  void take_gram(const Multipliers& other) {
    if (is_factored_) keep_gram(other);
  }
  // Goes to some weights; everybody is awake. Without centres to keep, these follow from the weights.
  void go_to(const std::vector<double>& w, bool keeps_centres = false);
  // Goes to the coefficients and weights of a like problem.
  void go_on_from(std::span<const double> coef);
  // Newton's steps on the envelopes, until their gradient adds little to the gap.
  void minimise(int most_steps);
  // Rounds of the method of multipliers.
  LinearSolution solve();

  const std::vector<double>& weights() const { return w_; }

 private:
  Row& row(std::int32_t i) { return rows_[static_cast<std::size_t>(i)]; }
  const Row& row(std::int32_t i) const { return rows_[static_cast<std::size_t>(i)]; }
  Row row_of(std::size_t i, double factor, double unit) const;
  // Whether the square of a weight is part of the objective.
  bool is_priced(Index j) const { return j < X_.features() || !qp_.free_offsets; }
  double price(Index j) const { return is_priced(j) ? 1.0 : price_of_free; }
  std::size_t width() const { return static_cast<std::size_t>(X_.cols()); }

  // Calls body(share, rows of it) for consecutive parts of the list, as many as there are sums to be added up.
  Index shares_of(RowList list) const {
    const Index most = is_factored_ ? std::clamp<Index>(most_numbers / gram_.size(), 2, most_shares) : most_shares;
    return std::clamp<Index>(static_cast<Index>(list.size()) / rows_a_share, 1, most);
  }
  template <class Body>
  void over_shares(RowList list, Body body) const {
    const std::size_t shares = static_cast<std::size_t>(shares_of(list));
    parallel_for(
        static_cast<Index>(shares), options_.threads,
        [&](Index share) {
          const std::size_t k = static_cast<std::size_t>(share);
          const std::size_t first = list.size() * k / shares, last = list.size() * (k + 1) / shares;
          body(k, list.subspan(first, last - first));
        },
        &stop_);
  }
  // Products of the rows with some weights, block by block while the rows are in the cache.
  template <class Take>
  void products(RowList list, const double* w, Take take) const {
    double values[rows_a_block];
    std::int32_t at[rows_a_block];
    for (std::size_t first = 0; first < list.size(); first += rows_a_block) {
      const RowList block = list.subspan(first, std::min<std::size_t>(rows_a_block, list.size() - first));
      for (std::size_t k = 0; k < block.size(); ++k) at[k] = members_[static_cast<std::size_t>(block[k])];
      X_.dots({at, block.size()}, w, values);
      take(block, RowList{at, block.size()}, values);
    }
  }
  std::vector<std::int32_t> positions(RowList list) const {
    std::vector<std::int32_t> found(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) found[k] = members_[static_cast<std::size_t>(list[k])];
    return found;
  }
  std::vector<std::int32_t> between() const {
    std::vector<std::int32_t> list;
    for (const std::int32_t i : awake_)
      if (row(i).between) list.push_back(i);
    return list;
  }

  void settle(const std::vector<double>* step, double t, double horizon);
  void follow_gram(const std::vector<double>& step, double t);
  void rebuild_gram();
  void update_gram(RowList list, double sign);
  void keep_gram(const Multipliers& other);
  std::vector<double> gradient() const;
  std::vector<double> newton_step(const std::vector<double>& gradient);
  bool factor_and_solve(std::vector<double>& step, double ridge) const;
  std::vector<double> by_conjugate_gradients(const std::vector<double>& gradient) const;
  struct Slope {
    double first = 0, second = 0;
    Slope operator+(const Slope& other) const { return {first + other.first, second + other.second}; }
  };
  Slope slope_of(RowList part, double t) const;
  Slope slope_along(double t) const;
  Slope go_along(const std::vector<double>& step);
  double line_search(const std::vector<double>& gradient, const std::vector<double>& step);
  void wake(double reach);
  void move_centres();
  void refresh();

  double gap_of_gradient() const;
  double violation() const { return awake_standing_.gain_up + awake_standing_.gain_down; }
  // How far the values of the machine sum coef x can be from those of w.
  double drift() const { return std::sqrt(2 * gap_of_gradient()) * largest_norm_; }
  double imbalance() const;
  double primal() const;
  double gap() const { return awake_standing_.gap + gap_of_gradient(); }
  bool is_reached() const;

  const LinearRows& X_;
  const LinearQp& qp_;
  const LinearOptions& options_;
  Stop& stop_;
  std::vector<std::int32_t> members_;
  bool is_smooth_;
  bool is_factored_;
  bool is_sample_;  // whose steps nobody counts
  double unit_;
  double scale_;

  std::vector<Row> rows_;
  std::vector<std::int32_t> awake_;
  std::vector<double> wakes_at_;  // the path length up to which a row can sleep; below zero for rows that are awake
  double largest_norm_ = 0;
  double path_ = 0;  // the length of the way that w has gone
  Standing awake_standing_, asleep_standing_;

  std::vector<double> w_;
  std::vector<double> v_;  // sum coef x
  double rounding_ = 0;    // how far v may be off by now
  Buffer<double> gram_;    // of the rows between their bounds
  Index between_ = 0, most_between_ = 0;
  // That of the round before, of which a share is added: features that only few of these rows have would else take the
  // step far beyond where other rows come in.
  Buffer<double> earlier_gram_;
  double damping_ = first_damping;
  std::vector<double> squares_;  // of the features, over all rows
  Index steps_ = 0;
};

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

Row Multipliers::row_of(std::size_t i, double factor, double unit) const {
  Row row{};
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
        Row& own = row(block[k]);
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
      const Row& own = rows_[i];
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
    Standing awake, asleep;
  };
  std::vector<Share> shares(static_cast<std::size_t>(shares_of(awake_)));
  const bool follows = is_factored_ && step;
  over_shares(awake_, [&](std::size_t share, RowList part) {
    Share& own_share = shares[share];
    std::vector<std::int32_t> changed;
    std::vector<double> by;
    for (const std::int32_t i : part) {
      Row& own = row(i);
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
    const Row& own = row(i);
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

std::vector<std::int32_t> every(Index step, Index count) {
  std::vector<std::int32_t> list;
  for (Index i = 0; i < count; i += step) list.push_back(static_cast<std::int32_t>(i));
  return list;
}

// Goes to the weights that nested samples lead to. The first is solved for the squared loss, whatever the loss.
void start_from_samples(Multipliers& whole, const LinearRows& X, const LinearQp& qp, const LinearOptions& options,
                        std::vector<double>& w, Stop& stop) {
  LinearOptions rough = options;
  rough.gap_tol = std::max(options.gap_tol, gap_of_samples);
  rough.tol = infinity;
  const Index least = std::max(smallest_sample, rows_a_feature * X.cols());
  Index step = 1;
  while (X.size() / (step * sample_growth) >= least) step *= sample_growth;
  const auto sample = [&](double steepness) {
    return Multipliers(X, qp, rough, stop, every(step, X.size()), static_cast<double>(step), qp.unit, steepness);
  };
  std::optional<Multipliers> smooth;
  if (qp.weight.empty()) {
    smooth.emplace(sample(0));
    smooth->go_to(w);
    smooth->minimise(steps_a_sample);
    w = smooth->weights();
  }
  double steepness = first_scale;
  for (; step > 1; step /= sample_growth) {
    Multipliers part = sample(steepness);
    if (smooth) part.take_gram(*smooth);
    part.go_to(w);
    w = part.solve().w;
    const double rows = static_cast<double>(X.size() / step), columns = static_cast<double>(X.cols());
    steepness = std::clamp(steepness_of_samples * std::sqrt(rows / columns), first_scale, most_steepness);
  }
  whole.begin_with(steepness);
  if (smooth) whole.take_gram(*smooth);
  whole.go_to(w);
}

}  // namespace

LinearSolution solve_by_multipliers(const LinearRows& X, const LinearQp& qp, const LinearOptions& options, Stop& stop) {
  std::vector<double> w(static_cast<std::size_t>(X.cols()), 0.0);
  try {
    Multipliers whole(X, qp, options, stop, every(1, X.size()), 1.0, qp.unit, first_scale);
    if (qp.start.empty())
      start_from_samples(whole, X, qp, options, w, stop);
    else
      whole.go_on_from(qp.start);
    return whole.solve();
  } catch (const Stopped& stopped) {
    LinearSolution of_samples;
    of_samples.w = std::move(w);
    of_samples.coef.assign(qp.slope.size(), 0.0);
    of_samples.status = stopped.status;
    return of_samples;
  }
}

}  // namespace mercer
