// A problem as the steps of the solver see it.
#pragma once

#include "problem.hpp"
#include "solver/state.hpp"

namespace mercer::test {

inline State state_of(const Problem& problem) {
  State state = start_state(problem.qp());
  state.neg_grad = state.linear;
  for (Index i = 0; i < problem.size(); ++i) state.diagonal[at(i)] = problem.K.row(i)[at(i)];
  return state;
}

// Kernel values in T, with rows further apart than they are long.
template <class T>
struct OwnBlock {
  explicit OwnBlock(const Problem& problem)
      : stride(problem.size() + 5), values(at(problem.size() * stride), std::numeric_limits<T>::quiet_NaN()) {
    for (Index i = 0; i < problem.size(); ++i)
      std::ranges::transform(problem.K.row(i), values.begin() + i * stride, [](double x) { return static_cast<T>(x); });
  }
  Block<T> block() const { return {values.data(), stride}; }

  // What row i's value is by these kernel values.
  double value(const State& state, Index i) const {
    double sum = state.linear[at(i)];
    for (Index j = 0; j < state.size(); ++j) sum -= static_cast<double>(block().row(i)[j]) * state.coef[at(j)];
    return sum;
  }

  Index stride;
  std::vector<T> values;
};

}  // namespace mercer::test
