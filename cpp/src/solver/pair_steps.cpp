#include "pair_steps.hpp"

#include <algorithm>
#include <cmath>
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

// One pass: the values are those of the state less the middle of its extremes, divided by its violation.
template <class T>
class Pass {
 public:
  Pass(State& state, const Block<T>& block, const Extremes& extremes)
      : state_(state),
        block_(block),
        middle_(0.5 * (extremes.top + extremes.bottom)),
        unit_(extremes.violation()),
        before_(state.coef) {
    for (std::size_t i = 0; i < state.coef.size(); ++i) {
      values_.push_back(static_cast<T>((state.values[i] - middle_) / unit_));
      diagonal_.push_back(static_cast<T>(state.diagonal[i]));
    }
    up_penalty_.resize(values_.size());
    low_penalty_.resize(values_.size());
    for (Index i = 0; i < state.size(); ++i) mark(i);
  }

  // Steps until the violation is `share` of what it was; returns their number.
  Index run(double share, Index max_steps, Stop& stop) {
    const Index q = state_.size();
    const Ops<T>& op = ops<T>();
    // With t = 0 it only finds the first variable.
    Index i = op.update_and_argmax(values_.data(), block_.row(0), block_.row(0), T(0), up_penalty_.data(), q);
    for (Index step = 0; step < max_steps; ++step) {
      if (step % steps_between_polls == steps_between_polls - 1) stop.poll();
      if (i < 0) return step;  // no coefficient can grow
      const T top = values_[State::at(i)];
      const T* ki = block_.row(i);
      const Partner<T> partner = op.best_partner(values_.data(), ki, diagonal_.data(), diagonal_[State::at(i)], top,
                                                 low_penalty_.data(), static_cast<T>(least_curvature), q);
      const Index j = partner.index;
      if (j < 0 || top - partner.lowest <= static_cast<T>(share)) return step;
      const double t = move(i, j, static_cast<double>(ki[j]));
      if (t == 0) return step;
      i = op.update_and_argmax(values_.data(), ki, block_.row(j), static_cast<T>(t / unit_), up_penalty_.data(), q);
    }
    return max_steps;
  }

  // Brings the values of the state up to date with its coefficients after that many steps.
  void settle(Index steps, double tol) {
    balance();
    T size = 0;
    for (const T value : values_) size = std::max(size, std::abs(value));
    const double rounding = unit_ * static_cast<double>(size * std::numeric_limits<T>::epsilon());
    if (rounding * std::sqrt(static_cast<double>(steps)) < harmless_share * tol) {
      for (std::size_t i = 0; i < values_.size(); ++i)
        state_.values[i] = middle_ + unit_ * static_cast<double>(values_[i]);
      return;
    }
    for (Index i = 0; i < state_.size(); ++i) {
      const double change = state_.coef[State::at(i)] - before_[State::at(i)];
      if (change != 0) ops<T>().add_scaled(state_.values.data(), block_.row(i), -change, state_.size());
    }
  }

 private:
  // Every step rounds the sum of the coefficients; a row that has room takes back what this makes after many.
  void balance() {
    double drift = 0;
    for (std::size_t i = 0; i < before_.size(); ++i) drift += state_.coef[i] - before_[i];
    for (std::size_t i = 0; i < before_.size() && drift != 0; ++i) {
      const double back = state_.coef[i] - drift;
      if (!state_.free(static_cast<Index>(i)) || back <= state_.lo[i] || back >= state_.hi[i]) continue;
      state_.coef[i] = back;
      return;
    }
  }

  // Moves weight from row j to row i; returns how much, or zero where rounding swallows it.
  double move(Index i, Index j, double kij) {
    double& ci = state_.coef[State::at(i)];
    double& cj = state_.coef[State::at(j)];
    const double kii = state_.diagonal[State::at(i)], kjj = state_.diagonal[State::at(j)];
    const double curvature = std::max(kii + kjj - 2 * kij, least_curvature * (std::abs(kii) + std::abs(kjj)));
    const double slope = unit_ * static_cast<double>(values_[State::at(i)] - values_[State::at(j)]);
    const double room_i = state_.hi[State::at(i)] - ci, room_j = cj - state_.lo[State::at(j)];
    const double t = std::min({slope / curvature, room_i, room_j, longest_step});
    const double before_i = ci, before_j = cj;
    ci = t == room_i ? state_.hi[State::at(i)] : ci + t;
    cj = t == room_j ? state_.lo[State::at(j)] : cj - t;
    mark(i);
    mark(j);
    return ci == before_i && cj == before_j ? 0 : t;
  }

  void mark(Index i) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    up_penalty_[State::at(i)] = state_.up(i) ? 0 : -infinity;
    low_penalty_[State::at(i)] = state_.low(i) ? 0 : infinity;
  }

  State& state_;
  const Block<T>& block_;
  double middle_, unit_;
  std::vector<double> before_;  // the coefficients the pass began with
  std::vector<T> values_, diagonal_, up_penalty_, low_penalty_;
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
