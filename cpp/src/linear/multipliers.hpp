// The method of multipliers with semismooth Newton steps: multipliers.cpp explains it and has its rounds,
// multipliers_newton.cpp the steps, multipliers_start.cpp the samples that it starts from.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/buffer.hpp"
#include "mercer/linear.hpp"
#include "mercer/pool.hpp"
#include "multipliers_row.hpp"

namespace mercer {

class Multipliers {
 public:
  // How steep the envelopes may begin.
  static constexpr double most_steepness = 16;

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
  static constexpr std::size_t rows_a_block = 128;
  // What the square of a free offset costs in Newton's matrix, so that it has one even where no row moves.
  static constexpr double price_of_free = 1e-10;

  LossRow& row(std::int32_t i) { return rows_[static_cast<std::size_t>(i)]; }
  const LossRow& row(std::int32_t i) const { return rows_[static_cast<std::size_t>(i)]; }
  LossRow row_of(std::size_t i, double factor, double unit) const;
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

  std::vector<LossRow> rows_;
  std::vector<std::int32_t> awake_;
  std::vector<double> wakes_at_;  // the path length up to which a row can sleep; below zero for rows that are awake
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
