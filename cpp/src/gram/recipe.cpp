#include "mercer/recipe.hpp"

#include <algorithm>
#include <stdexcept>

namespace mercer {
namespace {

std::vector<Index> checked(std::span<const Index> rows, Index count, const char* message) {
  if (std::ranges::any_of(rows, [&](Index i) { return i < 0 || i >= count; })) throw std::invalid_argument(message);
  return {rows.begin(), rows.end()};
}

}  // namespace

template <class T>
Recipe<T> computed_recipe(SharedData<T>& data, std::span<const Index> rows, int threads) {
  return {[&data, chosen = checked(rows, data.rows(), "a row lies outside the data"), threads] {
            return computed_gram<T>(data.get(), chosen, threads);
          },
          std::ssize(rows)};
}

template <class T>
Recipe<T> stored_recipe(const Dense<T>& K, std::span<const Index> rows, int threads) {
  return {[K, chosen = checked(rows, std::min(K.rows, K.cols), "a row lies outside the matrix"), threads] {
            return stored_gram<T>(K, chosen, threads);
          },
          std::ssize(rows)};
}

Recipe<double> sourced_recipe(RowSource<double> source, Index n, Index cache_bytes) {
  return {[source = std::move(source), n, cache_bytes] { return sourced_gram<double>(source, n, cache_bytes); }, n};
}

template Recipe<float> computed_recipe(SharedData<float>&, std::span<const Index>, int);
template Recipe<double> computed_recipe(SharedData<double>&, std::span<const Index>, int);
template Recipe<float> stored_recipe(const Dense<float>&, std::span<const Index>, int);
template Recipe<double> stored_recipe(const Dense<double>&, std::span<const Index>, int);

}  // namespace mercer
