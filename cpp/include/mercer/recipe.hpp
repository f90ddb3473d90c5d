// Gram matrices that are described now and opened by the solver. The rows asked for are checked at once:
// std::invalid_argument where one lies outside.
#pragma once

#include "mercer/gram.hpp"
#include "mercer/shared_data.hpp"

namespace mercer {

template <class T>
struct Recipe {
  GramRecipe<T> open;
  Index size;
};

// `data` outlives it.
template <class T>
Recipe<T> computed_recipe(SharedData<T>& data, std::span<const Index> rows, int threads);

// `K` outlives it.
template <class T>
Recipe<T> stored_recipe(const Dense<T>& K, std::span<const Index> rows, int threads);

Recipe<double> sourced_recipe(RowSource<double> source, Index n, Index cache_bytes);

}  // namespace mercer
