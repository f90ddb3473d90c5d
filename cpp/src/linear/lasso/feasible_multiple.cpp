#include "feasible_multiple.hpp"

#include <cmath>

namespace mercer {

FeasibleMultiple::FeasibleMultiple(const LinearProblem& problem, double scale, std::span<const double> coef,
                                   double largest) {
  double size = 0, squares = 0;
  for (std::size_t i = 0; i < coef.size(); ++i) {
    if (coef[i] == 0) continue;
    size += std::abs(coef[i]);
    squares += coef[i] * coef[i] / (2 * scale * problem.weight[i]);
  }
  factor = squares > 0 ? 0.5 * size / squares : 1.0;
  if (factor * largest > 1) factor = 1 / largest;
  dual = factor * (size - factor * squares);
}

}  // namespace mercer
