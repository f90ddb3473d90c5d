#include "pair_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mercer {
namespace {

// Curvatures below this share of |k_ii| + |k_jj| are rounding, or an indefinite kernel: the step goes to the box
// instead.
constexpr double least_curvature = 1e-12;

// A step without a box in its way, on duplicate rows of opposite sign, would be infinite.
constexpr double longest_step = 1e100;

// How far a pass in T brings the violation down at most: its rounding is a share of the violation it began with.
template <class T>
constexpr double pass_share = sizeof(T) == 4 ? 1e-3 : 1e-12;
// Rounding of a pass that is less than this share of the tolerance stays in the values.
constexpr double harmless_share = 0.03;

// Passes end where one of them leaves more than this share of the violation: what is left is rounding.
constexpr double largest_rest = 0.5;

constexpr Index steps_between_polls = 256;

// Of two sums one is at work for so many steps: to look at both each time would cost as much as the step.
constexpr Index steps_per_turn = 4;

// One pass: the values are those of the state less what they are near to, divided by its violation. At the optimum the
// values of free rows are their sum's multiplier and the price of their size above it, or below it where coefficients
// are negative: those are the two levels of a row.
template <class T>
class Pass {
 public:
  Pass(State& state, const Block<T>& block, const Extremes& extremes)
      : state_(state), block_(block), middles_(middles_of(extremes)), unit_(extremes.violation()), before_(state.coef) {
    for (Index i = 0; i < state.size(); ++i) {
      const double value = at(state.neg_grad, i), coef = at(state.coef, i);
      const bool nearer_below = value - level(i, below) < level(i, above) - value;
      levels_.push_back(coef > 0 ? above : coef < 0 ? below : nearer_below ? below : above);
      neg_grad_.push_back(static_cast<T>((value - level(i, levels_.back())) / unit_));
      diagonal_.push_back(static_cast<T>(at(state.diagonal, i)));
    }
    for (std::size_t s = 0; s < state.sums(); ++s) {
      up_penalty_[s].resize(neg_grad_.size());
      low_penalty_[s].resize(neg_grad_.size());
    }
    for (Index i = 0; i < state.size(); ++i) mark(i);
  }

  // Steps until the violation is `share` of what it was; returns their number.
  Index run(double share, Index max_steps, Stop& stop) {
    update(0, 0, T(0));
    for (Index step = 0; step < max_steps; ++step) {
      if (step % steps_between_polls == steps_between_polls - 1) stop.poll();
      Pair pair = pair_of(sum_);
      const bool done = pair.j < 0 || pair.violation <= static_cast<T>(share);
      if (state_.two_sums && (done || step % steps_per_turn == 0)) pair = worse_pair(pair);
      if (pair.j < 0 || pair.violation <= static_cast<T>(share)) return step;
      const double t = move(pair);
      if (t == 0) return step;
      update(pair.i, pair.j, static_cast<T>(t / unit_));
    }
    return max_steps;
  }

  // Brings the values of the state up to date with its coefficients after that many steps.
  void settle(Index steps, double tol) {
    balance();
    T size = 0;
    for (const T value : neg_grad_) size = std::max(size, std::abs(value));
    const double rounding = unit_ * static_cast<double>(size * std::numeric_limits<T>::epsilon());
    if (rounding * std::sqrt(static_cast<double>(steps)) < harmless_share * tol) {
      for (Index i = 0; i < state_.size(); ++i)
        at(state_.neg_grad, i) = level(i, at(levels_, i)) + unit_ * static_cast<double>(at(neg_grad_, i));
      return;
    }
    for (Index i = 0; i < state_.size(); ++i) {
      const double change = at(state_.coef, i) - at(before_, i);
      if (change != 0) ops<T>().add_scaled(state_.neg_grad.data(), block_.row(i), -change, state_.size());
    }
  }

 private:
  // Rows of which one can grow as the other falls; -1 where there are none.
  struct Pair {
    Index i = -1;
    Index j = -1;
    std::size_t sum = 0;
    T violation = -std::numeric_limits<T>::infinity();
  };

  enum Level : std::uint8_t { above, below };

  double level(Index i, Level which) const {
    const double kink = at(state_.kink, i);
    return which == above ? middles_[0] + kink : middles_[1] - kink;
  }

  // Of each sum; of the other where a sum has none.
  Sums middles_of(const Extremes& extremes) const {
    const auto middle = [&](std::size_t sum) { return 0.5 * (extremes.top[sum] + extremes.bottom[sum]); };
    const Sums found{middle(0), middle(state_.two_sums ? 1 : 0)};
    return {std::isfinite(found[0]) ? found[0] : found[1], std::isfinite(found[1]) ? found[1] : found[0]};
  }

  // Lets values follow the step, and finds the up row of the sum at work that gains most.
  void update(Index i, Index j, T t) {
    best_up_ = ops<T>().update_and_argmax(neg_grad_.data(), block_.row(i), block_.row(j), t, up_penalty_[sum_].data(),
                                          state_.size());
  }

  // That row with its partner, chosen by the second-order gain.
  Pair pair_of(std::size_t sum) const {
    if (best_up_ < 0) return {};  // no coefficient can grow
    const T top = at(neg_grad_, best_up_) + at(up_penalty_[sum], best_up_);
    const Partner<T> partner =
        ops<T>().best_partner(neg_grad_.data(), block_.row(best_up_), diagonal_.data(), at(diagonal_, best_up_), top,
                              low_penalty_[sum].data(), static_cast<T>(least_curvature), state_.size());
    if (partner.index < 0) return {};
    return {best_up_, partner.index, sum, top - partner.lowest};
  }

  // The pair of the other sum where that violates more; it is at work then.
  Pair worse_pair(const Pair& pair) {
    sum_ = 1 - sum_;
    update(0, 0, T(0));
    const Pair other = pair_of(sum_);
    if (other.violation > pair.violation) return other;
    sum_ = 1 - sum_;
    return pair;
  }

  // Moves weight from row j to row i; returns how much, or zero where rounding swallows it.
  double move(const Pair& pair) {
    double &ci = at(state_.coef, pair.i), &cj = at(state_.coef, pair.j);
    const double kii = at(state_.diagonal, pair.i), kjj = at(state_.diagonal, pair.j);
    const double curvature = std::max(kii + kjj - 2 * static_cast<double>(block_.row(pair.i)[pair.j]),
                                      least_curvature * (std::abs(kii) + std::abs(kjj)));
    const T gained = at(neg_grad_, pair.i) + at(up_penalty_[pair.sum], pair.i);
    const T lost = at(neg_grad_, pair.j) + at(low_penalty_[pair.sum], pair.j);
    const double end_i = state_.up_end(pair.i), end_j = state_.low_end(pair.j);
    const double room_i = end_i - ci, room_j = cj - end_j;
    const double t = std::min({unit_ * static_cast<double>(gained - lost) / curvature, room_i, room_j, longest_step});
    const double before_i = ci, before_j = cj;
    ci = t == room_i ? end_i : ci + t;
    cj = t == room_j ? end_j : cj - t;
    mark(pair.i);
    mark(pair.j);
    return ci == before_i && cj == before_j ? 0 : t;
  }

  // What a row gains or loses beside its value; infinite where it cannot move, or not within the sum.
  void mark(Index i) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const double coef = at(state_.coef, i);
    const T up = state_.up(i) ? shift(i, coef < 0 ? below : above) : -infinity;
    const T low = state_.low(i) ? shift(i, coef > 0 ? above : below) : infinity;
    for (std::size_t s = 0; s < state_.sums(); ++s) {
      at(up_penalty_[s], i) = state_.up_sum(i) == s ? up : -infinity;
      at(low_penalty_[s], i) = state_.low_sum(i) == s ? low : infinity;
    }
  }

  // From a row's value to its distance from a level.
  T shift(Index i, Level to) const {
    const Level from = at(levels_, i);
    return from == to ? T(0) : static_cast<T>((level(i, from) - level(i, to)) / unit_);
  }

  // Every step rounds the sums of the coefficients; a free row takes back what this makes after many.
  void balance() {
    const auto sum_of = [&](double coef) -> std::size_t { return state_.two_sums && coef < 0; };
    Sums drift{0, 0};
    for (std::size_t i = 0; i < before_.size(); ++i) {
      drift[sum_of(state_.coef[i])] += state_.coef[i];
      drift[sum_of(before_[i])] -= before_[i];
    }
    for (Index i = 0; i < state_.size(); ++i) {
      double& coef = at(state_.coef, i);
      double& own = drift[sum_of(coef)];
      const double back = coef - own;
      if (own == 0 || !state_.free(i) || back <= state_.low_end(i) || back >= state_.up_end(i)) continue;
      coef = back;
      own = 0;
    }
  }

  State& state_;
  const Block<T>& block_;
  Sums middles_;
  double unit_;
  std::vector<Level> levels_;   // that the values are taken from
  std::vector<double> before_;  // the coefficients the pass began with
  std::vector<T> neg_grad_, diagonal_;
  std::vector<T> up_penalty_[2], low_penalty_[2];  // of each sum
  std::size_t sum_ = 0;                            // the one at work
  Index best_up_ = -1;
};

}  // namespace

template <class T>
Index descend_by_pairs(State& state, const PairSteps<T>& task, Stop& stop) {
  double before = std::numeric_limits<double>::infinity();
  for (Index steps = 0;;) {
    const Extremes found = extremes(state);
    const double violation = found.violation();
    if (!(violation > task.tol) || steps == task.max_steps) return steps;
    if (violation > largest_rest * before) return steps;
    before = violation;
    Pass<T> pass(state, task.block, found);
    const Index taken = pass.run(std::max(task.tol / violation, pass_share<T>), task.max_steps - steps, stop);
    if (taken == 0) return steps;
    pass.settle(taken, task.tol);
    steps += taken;
  }
}

template Index descend_by_pairs(State&, const PairSteps<float>&, Stop&);
template Index descend_by_pairs(State&, const PairSteps<double>&, Stop&);

}  // namespace mercer
