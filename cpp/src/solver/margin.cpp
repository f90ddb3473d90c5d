#include "margin.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

bool is_margin_below(double least, double squared_norm, const State& state) {
  double total = 0;
  for (const double coef : state.coef) total += std::abs(coef);
  const double squared_weights = std::max(0.0, objective(state).squared_norm);
  return total > 0 && squared_weights <= least * least * squared_norm * total * total;
}

}  // namespace mercer
