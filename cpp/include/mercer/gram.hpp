// How the solver sees a Gram matrix: blocks of it, products with it, and exact products in float64.
#pragma once

#include <functional>
#include <memory>

#include "mercer/row_cache.hpp"
#include "mercer/stop.hpp"
#include "mercer/tile.hpp"

namespace mercer {

// Rows are numbered within the active ones, except where it says "all rows".
template <class T>
class Gram {
 public:
  virtual ~Gram() = default;

  virtual Index size() const = 0;                // all rows
  virtual void diagonal(double* out) const = 0;  // all rows

  // Makes the given rows of all the active ones, in increasing order.
  virtual void activate(std::span<const Index> rows) = 0;

  // out[i * q + j] = K[rows[i], rows[j]].
  virtual void block(std::span<const Index> rows, T* out, Stop& stop) = 0;
  // out[i] += sum_j K[i, rows[j]] coef[j] for every active row i.
  virtual void add_product(std::span<const Index> rows, std::span<const double> coef, double* out, Stop& stop) = 0;
  // out[i] = sum_j K[i, j] coef[j] over all rows, every value in float64.
  virtual void exact_product(std::span<const double> coef, double* out, Stop& stop) = 0;
};

// Opens a Gram matrix when its turn comes; throws std::overflow_error where kernel values do not fit T.
template <class T>
using GramRecipe = std::function<std::unique_ptr<Gram<T>>()>;

// Where the values come from and what may be kept.
struct GramOptions {
  Index cache_bytes = 0;
  int threads = 1;
};

// Values computed in tiles from prepared rows; rows once computed are kept while the budget lasts. `X` outlives it.
template <class T>
std::unique_ptr<Gram<T>> computed_gram(const Kernel& kernel, const Matrix& X, std::vector<Index> rows,
                                       const GramOptions& options);

// Values of a symmetric matrix at hand, at the given rows and columns. `K` outlives it.
template <class T>
std::unique_ptr<Gram<T>> stored_gram(const Dense<T>& K, std::vector<Index> rows, const GramOptions& options);

// Fills out[i * n + j] = k(row rows[i], row j) for all n rows j.
template <class T>
using RowSource = std::function<void(std::span<const Index> rows, T* out)>;

// Values asked of a source, whole rows at a time, and kept within the budget.
template <class T>
std::unique_ptr<Gram<T>> sourced_gram(RowSource<T> source, std::vector<double> diagonal, const GramOptions& options);

}  // namespace mercer
