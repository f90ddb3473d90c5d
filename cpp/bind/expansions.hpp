// Sums over rows of the data, read from arrays and written to arrays.
#pragma once

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "mercer/expansion.hpp"
#include "report.hpp"

namespace mercer::bind {

using RowLists = std::vector<Vector<std::int64_t>>;
using CoefLists = std::vector<Vector<double>>;

// One expansion of `rows` rows for each of the lists; `expand` takes them to their values.
template <class Expand>
auto expand_lists(const RowLists& targets, const RowLists& sources, const CoefLists& coef, Index rows, Expand expand) {
  if (targets.size() != sources.size() || sources.size() != coef.size())
    throw std::invalid_argument("there must be sources and coefficients for each set of targets");
  std::vector<Expansion> expansions;
  std::vector<nb::ndarray<nb::numpy, double, nb::ndim<1>>> out;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    expansions.push_back(checked_expansion(view(targets[k]), view(sources[k]), view(coef[k]), rows));
    out.push_back(new_array<double, 1>({targets[k].size()}));
  }
  Stop stop = interruptible();
  const WithoutGil released;
  const auto values = expand(expansions, &stop);
  for (std::size_t k = 0; k < values.size(); ++k) std::ranges::copy(values[k], out[k].data());
  return out;
}

}  // namespace mercer::bind
