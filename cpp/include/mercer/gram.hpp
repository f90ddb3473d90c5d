// How the solver sees a Gram matrix: blocks of it, products with it, and exact products in float64.
#pragma once

#include <functional>
#include <memory>

#include "mercer/prepared.hpp"
#include "mercer/stop.hpp"

namespace mercer {

template <class T>
class Gram {
 public:
  virtual ~Gram() = default;

  virtual Index size() const = 0;
  // K[i, i] of every row; NaN where only the row's values tell.
  virtual void diagonal(double* out) const = 0;

  // out[i * ld + j] = K[rows[i], rows[j]], every pair computed once.
  virtual void block(std::span<const Index> rows, T* out, Index ld, Stop& stop) = 0;
  // out[i * ld + j] = K[rows[i], columns[j]].
  virtual void values(std::span<const Index> rows, std::span<const Index> columns, T* out, Index ld, Stop& stop) = 0;
  // out[i] += sum_j K[targets[i], sources[j]] coef[j].
  virtual void add_products(std::span<const Index> targets, std::span<const Index> sources,
                            std::span<const double> coef, double* out, Stop& stop) = 0;
  // The same with every value in float64.
  virtual void add_exact_products(std::span<const Index> targets, std::span<const Index> sources,
                                  std::span<const double> coef, double* out, Stop& stop) = 0;
};

// Opens a Gram matrix when its turn comes; throws std::overflow_error where kernel values do not fit T.
template <class T>
using GramRecipe = std::function<std::unique_ptr<Gram<T>>()>;

// Values computed in tiles whenever they are asked for, at the given rows of the data.
template <class T>
std::unique_ptr<Gram<T>> computed_gram(std::shared_ptr<const Prepared<T>> data, std::vector<Index> rows, int threads);

// Values of a symmetric matrix at hand, at the given rows and columns. `K` outlives it.
template <class T>
std::unique_ptr<Gram<T>> stored_gram(const Dense<T>& K, std::vector<Index> rows, int threads);

// Fills out[i * n + j] = k(row rows[i], row j) for all n rows j, some of it in each call: the first `done` values are
// there, and it returns how many are there after it has added to them. Stops are heard between the calls.
template <class T>
using RowSource = std::function<Index(std::span<const Index> rows, Index done, T* out)>;

// Values among n rows asked of a source, whole rows at a time, and kept within the budget.
template <class T>
std::unique_ptr<Gram<T>> sourced_gram(RowSource<T> source, Index n, Index cache_bytes);

}  // namespace mercer
