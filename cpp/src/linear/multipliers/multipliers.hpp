// The method of multipliers with semismooth Newton steps: multipliers.cpp explains it and has its rounds,
// newton.cpp the steps, start.cpp the samples that it starts from.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "awake_rows.hpp"
#include "mercer/linear.hpp"
#include "mercer/pool.hpp"

namespace mercer {

class Multipliers {
 public:
  // How steep the envelopes may begin.
  static constexpr double most_steepness = 16;

  // The problem on some rows, whose losses count `factor` times. The envelopes begin with a steepness; zero asks for
  // the squared loss instead, which has a step to take from anywhere.
  Multipliers(const LinearRows& X, const LinearProblem& qp, const LinearOptions& options, Stop& stop,
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
  // Goes to coefficients of a like problem, and their weights.
  void go_on_from(std::span<const double> coef, double steepness = most_steepness);
  // Newton's steps on the envelopes, until their gradient adds little to the gap.
  void minimise(int most_steps);
  // Rounds of the method of multipliers, ended as stalled after so many steps.
  LinearSolution solve(Index most_steps = std::numeric_limits<Index>::max());

  const std::vector<double>& weights() const { return w_; }
  std::vector<double> coefficients();

 private:
  static Buffer<double> zeros(Index size) {
    Buffer<double> found(size);
    std::fill_n(found.data(), size, 0.0);
    return found;
  }

  // The share of the earlier Gram matrix in Newton's: less after a full step, more after a short one.
  static constexpr double first_damping = 0.1;
  // Rows are shared out to threads in parts, each with sums of its own; and read in blocks that fit the caches.
  static constexpr Index rows_a_share = 512;
  static constexpr Index most_shares = 16;
  static constexpr Index most_numbers = 4'000'000;  // of the Gram matrices of all shares together
  static constexpr Index rows_a_column = 8;
  static constexpr Index rows_a_block = 128;
  // What the square of a free offset costs in Newton's matrix, so that it has one even where no row moves.
  static constexpr double price_of_free = 1e-10;

  // Puts row i at slot k of those awake, but for where it is.
  void put(Index k, std::int32_t i);
  // Whether the square of a weight is part of the objective.
  bool is_priced(Index j) const { return j < X_.features() || !qp_.free_offsets; }
  double price(Index j) const { return is_priced(j) ? 1.0 : price_of_free; }
  std::size_t width() const { return static_cast<std::size_t>(X_.cols()); }

  // Consecutive parts of so many rows, each with sums of its own.
  Index shares_of(Index rows) const { return std::clamp<Index>(rows / rows_a_share, 1, most_shares); }
  // The same where the sums are matrices: a share of few rows would spend its time on clearing and adding them up.
  Index gram_shares_of(Index rows) const {
    const Index most = std::clamp<Index>(most_numbers / gram_.size(), 2, most_shares);
    return std::clamp<Index>(rows / std::max(rows_a_share, rows_a_column * X_.cols()), 1, most);
  }
  // Calls body(share, first, last) for each.
  template <class Body>
  void over_shares(Index shares, Index rows, Body body) const {
    parallel_for(
        shares, options_.threads,
        [&](Index share) { body(static_cast<std::size_t>(share), rows * share / shares, rows * (share + 1) / shares); },
        &stop_);
  }
  // Calls body(first, last) for blocks of rows that stay in the caches.
  template <class Body>
  static void over_blocks(Index first, Index last, Body body) {
    for (; first < last; first += rows_a_block) body(first, std::min(first + rows_a_block, last));
  }
  // Rows by their positions in the data, with their weights in Newton's matrix.
  struct WeightedRows {
    std::vector<std::int32_t> positions;
    std::vector<double> weights;

    Index size() const { return static_cast<Index>(positions.size()); }
    void take(std::int32_t position, double weight) {
      positions.push_back(position);
      weights.push_back(weight);
    }
    void take(const WeightedRows& other) {
      positions.insert(positions.end(), other.positions.begin(), other.positions.end());
      weights.insert(weights.end(), other.weights.begin(), other.weights.end());
    }
  };
  bool is_between(Index k) {
    const double coef = awake_.coef(k);
    return coef > awake_.lower(k) && coef < awake_.upper(k) && (coef != 0 || awake_.kink(k) == 0);
  }
  WeightedRows between();

  void settle(const std::vector<double>* step, double t, double horizon);
  void follow_gram(const std::vector<double>& step, double t);
  void rebuild_gram();
  void update_gram(const WeightedRows& rows, double sign);
  void add_up(const std::vector<Buffer<double>>& grams);
  void keep_gram(const Multipliers& other);
  std::vector<double> gradient() const;
  std::vector<double> newton_step(const std::vector<double>& gradient);
  bool factor_and_solve(std::vector<double>& step, double ridge) const;
  std::vector<double> by_conjugate_gradients(const std::vector<double>& gradient);
  LossSlope slope_along(double t);
  LossSlope go_along(const std::vector<double>& step);
  double line_search(const std::vector<double>& gradient, const std::vector<double>& step);
  void fall_asleep(RowList slots);
  void wake(double reach);
  double dual_of(Index k);
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
  const LinearProblem& qp_;
  const LinearOptions& options_;
  Stop& stop_;
  std::vector<std::int32_t> members_;
  bool is_smooth_;
  bool is_factored_;
  bool is_sample_;  // whose steps nobody counts
  double unit_;
  double scale_;

  double factor_;

  AwakeRows awake_;
  // Of rows that sleep: the coefficient, the norm, and the path length up to which they can; below zero where a row is
  // awake.
  Buffer<double> coef_, norm_, wakes_at_;
  // Those that wake before the path is so long.
  std::vector<std::int32_t> light_sleepers_;
  double looked_ahead_ = -1;
  double largest_norm_ = 0;
  double path_ = 0;  // the length of the way that w has gone
  LossStanding awake_standing_, asleep_standing_;

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

}  // namespace mercer
