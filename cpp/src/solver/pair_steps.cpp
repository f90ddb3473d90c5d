#include "pair_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Curvatures below this share of |k_ii| + |k_jj| are rounding, or an indefinite kernel: the step goes to the box
// instead.
constexpr double least_curvature = 1e-12;

// A step without a box in its way, on duplicate rows of opposite sign, would be infinite.
constexpr double longest_step = 1e100;

constexpr Index steps_between_polls = 256;

}  // namespace

template <class T>
Index descend_by_pairs(State& state, const PairSteps<T>& task, Stop& stop) {
  const Index q = state.size();
  const Ops<T>& op = ops<T>();
  std::vector<double> up_penalty(state.coef.size()), low_penalty(state.coef.size());
  const auto mark = [&](Index i) {
    up_penalty[State::at(i)] = state.up(i) ? 0 : -infinity;
    low_penalty[State::at(i)] = state.low(i) ? 0 : infinity;
  };
  for (Index i = 0; i < q; ++i) mark(i);

  // With t = 0 it only finds the first variable.
  Index i = op.update_and_argmax(state.values.data(), task.block.row(0), task.block.row(0), 0.0, up_penalty.data(), q);
  for (Index step = 0; step < task.max_steps; ++step) {
    if (step % steps_between_polls == steps_between_polls - 1) stop.poll();
    if (i < 0) return step;  // no coefficient can grow
    const double top = state.values[State::at(i)];
    const T* ki = task.block.row(i);
    const double kii = state.diagonal[State::at(i)];
    const Partner partner = op.best_partner(state.values.data(), ki, state.diagonal.data(), kii, top,
                                            low_penalty.data(), least_curvature, q);
    const Index j = partner.index;
    if (j < 0 || top - partner.lowest <= task.tol) return step;

    double& ci = state.coef[State::at(i)];
    double& cj = state.coef[State::at(j)];
    const double kjj = state.diagonal[State::at(j)];
    const double curvature =
        std::max(kii + kjj - 2 * static_cast<double>(ki[j]), least_curvature * (std::abs(kii) + std::abs(kjj)));
    const double room_i = state.hi[State::at(i)] - ci, room_j = cj - state.lo[State::at(j)];
    const double t = std::min({(top - state.values[State::at(j)]) / curvature, room_i, room_j, longest_step});
    const double before_i = ci, before_j = cj;
    ci = t == room_i ? state.hi[State::at(i)] : ci + t;
    cj = t == room_j ? state.lo[State::at(j)] : cj - t;
    if (ci == before_i && cj == before_j) return step;
    mark(i);
    mark(j);
    i = op.update_and_argmax(state.values.data(), ki, task.block.row(j), t, up_penalty.data(), q);
  }
  return task.max_steps;
}

template Index descend_by_pairs(State&, const PairSteps<float>&, Stop&);
template Index descend_by_pairs(State&, const PairSteps<double>&, Stop&);

}  // namespace mercer
