// The working-set solver of the box QP.
#pragma once

#include "mercer/box_qp.hpp"
#include "mercer/gram.hpp"
#include "mercer/side_by_side.hpp"

namespace mercer {

template <class T>
Solution solve(const BoxQp& qp, Gram<T>& gram, const SolverOptions& options, Stop& stop);

template <class T>
struct Task {
  BoxQp qp;
  const GramRecipe<T>* gram;
};

// Solves independent problems side by side, one thread each. The time is shared out as the squares of their sizes.
// `report` is called on the calling thread only, with the progress of a problem it works on.
template <class T>
std::vector<Solution> solve_all(const std::vector<Task<T>>& tasks, const SolverOptions& options, const Limits& limits,
                                int threads, const Stop::Report& report);

}  // namespace mercer
