#include "contribution.hpp"

namespace mercer {

Contribution contribution_of(const std::vector<double>& coef) {
  Contribution found;
  for (Index i = 0; i < length(coef); ++i)
    if (at(coef, i) != 0) {
      found.rows.push_back(i);
      found.coef.push_back(-at(coef, i));
    }
  return found;
}

Contribution contribution_of_change(const std::vector<double>& before, const std::vector<double>& coef) {
  Contribution found;
  for (Index i = 0; i < length(coef); ++i)
    if (at(coef, i) != at(before, i)) {
      found.rows.push_back(i);
      found.coef.push_back(at(before, i) - at(coef, i));
    }
  return found;
}

}  // namespace mercer
