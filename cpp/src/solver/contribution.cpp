#include "contribution.hpp"

namespace mercer {

Contribution contribution_of(const std::vector<double>& coef) {
  return contribution_of_change(std::vector<double>(coef.size(), 0.0), coef);
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
