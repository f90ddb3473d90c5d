// Sums over rows of the data, read from arrays and written to arrays.
#pragma once

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "mercer/reduce.hpp"
#include "report.hpp"

namespace mercer::bind {

using RowLists = std::vector<Vector<std::int64_t>>;
using CoefLists = std::vector<Vector<double>>;

// Rows of the data with a coefficient each, and the rows at which their sum is wanted; several such at once. Rows whose
// coefficient is zero are left out. `expand` takes the expansions to their values.
template <class Expand>
auto expand_lists(const RowLists& targets, const RowLists& sources, const CoefLists& coef, Index rows, Expand expand) {
  if (targets.size() != sources.size() || sources.size() != coef.size())
    throw std::invalid_argument("there must be sources and coefficients for each set of targets");
  std::vector<Expansion> expansions;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (sources[k].size() != coef[k].size()) throw std::invalid_argument("there must be one coefficient a source");
    for (const auto* list : {&targets[k], &sources[k]})
      for (const Index i : view(*list))
        if (i < 0 || i >= rows) throw std::invalid_argument("a row lies outside the data");
    Expansion& one = expansions.emplace_back();
    one.targets = indices(targets[k]);
    for (std::size_t j = 0; j < coef[k].size(); ++j) {
      if (coef[k].data()[j] == 0) continue;
      one.sources.push_back(sources[k].data()[j]);
      one.coef.push_back(coef[k].data()[j]);
    }
  }
  std::vector<nb::ndarray<nb::numpy, double, nb::ndim<1>>> out;
  for (const Expansion& one : expansions) out.push_back(new_array<double, 1>({one.targets.size()}));
  Stop stop = interruptible();
  const WithoutGil released;
  const auto values = expand(expansions, &stop);
  for (std::size_t k = 0; k < values.size(); ++k) std::ranges::copy(values[k], out[k].data());
  return out;
}

}  // namespace mercer::bind
