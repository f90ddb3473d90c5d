// What coefficients contribute to the values of rows, as a sum of kernel values over the few that are not zero.
#pragma once

#include <vector>

#include "mercer/indexing.hpp"

namespace mercer {

// Negated coefficients: values fall as coefficients grow.
struct Contribution {
  std::vector<Index> rows;
  std::vector<double> coef;
};

Contribution contribution_of(const std::vector<double>& coef);

// What brings values that were computed with coefficients `before` up to date with `coef`.
Contribution contribution_of_change(const std::vector<double>& before, const std::vector<double>& coef);

}  // namespace mercer
