// One local system by its moments.
#pragma once

#include <span>
#include <vector>

#include "mercer/local.hpp"

namespace mercer {

// What is found of one query.
struct LocalFit {
  std::span<double> values;
  double inverse = 0;
  double squares = 0;
  LocalState state = LocalState::solved;
};

// Sums over rows about some origin; of matrices the lower triangle counts.
class LocalSystem {
 public:
  LocalSystem(Index size, Index targets, bool squares);

  Index size, targets;
  std::vector<double> gram;     // sum w phi phi'
  std::vector<double> sums;     // sum w phi y, target after target
  std::vector<double> squares;  // sum w^2 noise phi phi'; empty where nobody asks
  std::vector<double> at;       // phi at the query

  void clear();
  // Solves for the equivalent kernel l_j = w_j phi_j' coef and what follows from it. False where a pivot is so small
  // that rounding would show: then the moments do not tell enough.
  bool solve(LocalFit& fit);
  const std::vector<double>& coef() const { return coef_; }

 private:
  std::vector<double> scale_, factor_, coef_;
};

}  // namespace mercer
