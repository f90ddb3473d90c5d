// Monomials of several variables up to a degree, those of lower degree first: 1, u_1, u_2, ..., u_1^2, u_1 u_2, ...
#pragma once

#include <vector>

#include "mercer/view.hpp"

namespace mercer {

class Monomials {
 public:
  Monomials(Index variables, Index degree);

  Index count() const { return static_cast<Index>(variable_.size()); }
  // How many have at most a degree.
  Index count_up_to(Index degree) const;
  // out[m] for all of them.
  void evaluate(const double* u, double* out) const {
    out[0] = 1;
    for (std::size_t m = 1; m < variable_.size(); ++m) out[m] = out[factor_[m]] * u[variable_[m]];
  }
  // The number of the product of two.
  Index product(Index a, Index b) const;

 private:
  Index variables_;
  std::vector<std::int32_t> factor_, variable_;  // each is an earlier one times a variable, the last that it has
  std::vector<Index> begins_;                    // of each degree
};

}  // namespace mercer
