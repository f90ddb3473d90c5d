// The working-set solver of the box QP.
#pragma once

#include "mercer/box_qp.hpp"
#include "mercer/gram.hpp"

namespace mercer {

template <class T>
Solution solve(const BoxQp& qp, Gram<T>& gram, const SolverOptions& options, Stop& stop);

}  // namespace mercer
