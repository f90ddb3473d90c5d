#include "local/monomials.hpp"

#include <algorithm>

#include "mercer/indexing.hpp"

namespace mercer {

Monomials::Monomials(Index variables, Index degree) : variables_(variables), factor_{0}, variable_{0}, begins_{0, 1} {
  for (Index of = 1; of <= degree; ++of) {
    for (Index m = at(begins_, of - 1); m < at(begins_, of); ++m)
      for (Index v = of == 1 ? 0 : at(variable_, m); v < variables; ++v) {
        factor_.push_back(static_cast<std::int32_t>(m));
        variable_.push_back(static_cast<std::int32_t>(v));
      }
    begins_.push_back(count());
  }
}

Index Monomials::count_up_to(Index degree) const { return at(begins_, degree + 1); }

Index Monomials::product(Index a, Index b) const {
  std::vector<Index> variables;
  for (Index m : {a, b})
    for (; m > 0; m = at(factor_, m)) variables.push_back(at(variable_, m));
  std::ranges::sort(variables);
  Index found = 0;
  for (const Index v : variables) {
    // Children of a monomial stand side by side, ascending by their variable.
    const auto first = std::ranges::lower_bound(factor_.begin() + 1, factor_.end(), found);
    Index child = first - factor_.begin();
    while (at(variable_, child) != v) ++child;
    found = child;
  }
  return found;
}

}  // namespace mercer
