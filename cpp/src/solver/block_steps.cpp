#include "block_steps.hpp"

#include <algorithm>

#include "newton_steps.hpp"

namespace mercer {
namespace {

// Ordinary problems settle a block within a tenth of this.
constexpr Index steps_before_newton = 10'000;
constexpr Index steps_before_newton_per_row = 50;
// Where float kernel values may be too inexact, more are not spent on a block: float64 takes over.
constexpr Index steps_in_doubt = 2000;
constexpr Index steps_in_doubt_per_row = 5;
// Newton steps make the free rows agree to this share of the tolerance, which leaves the rest to rows that meet bounds.
constexpr double newton_share = 0.1;

}  // namespace

// Pairs find out who is free and who is not; where they take long to settle the free ones, Newton steps do.
template <class T>
Index descend_in_block(State& state, const Block<T>& block, double tol, bool is_doubtful, Stop& stop) {
  const Index patience = is_doubtful ? steps_in_doubt + steps_in_doubt_per_row * state.size()
                                     : steps_before_newton + steps_before_newton_per_row * state.size();
  const Index allowed = std::min(stop.steps_left(), patience);
  const Index steps = descend_by_pairs(state, PairSteps<T>{block, tol, allowed}, stop);
  if (is_doubtful && steps == patience) throw Stopped(Status::stalled);
  if (steps == allowed && steps < stop.steps_left()) descend_by_newton(state, block, newton_share * tol, stop);
  return steps;
}

template Index descend_in_block(State&, const Block<float>&, double, bool, Stop&);
template Index descend_in_block(State&, const Block<double>&, double, bool, Stop&);

}  // namespace mercer
