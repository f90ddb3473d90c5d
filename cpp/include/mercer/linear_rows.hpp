// Rows of a matrix as a linear machine sees them: products with weights, sums of rows, their Gram matrix of features.
// Nothing is copied but the rows of one block at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/stop.hpp"

namespace mercer {

// What stands behind the features of every row: `count` columns (0, 1 or 2) of which a row has `value` in that of its
// side and zero in the other.
struct OffsetColumns {
  int count = 0;
  double value = 1;
  std::span<const std::uint8_t> side;  // empty: all rows are on side 0
};

// One column of this value on all rows; none where it is zero.
inline OffsetColumns offset_column(double value) { return {value != 0 ? 1 : 0, value, {}}; }

// A list of rows, by their positions among the rows of a LinearRows.
using RowList = std::span<const std::int32_t>;

class LinearRows {
 public:
  virtual ~LinearRows() = default;

  Index size() const { return size_; }
  // Features and offset columns.
  Index cols() const { return cols_; }
  Index features() const { return features_; }

  // out[k] = x . w for the k-th row of the list.
  virtual void dots(RowList list, const double* w, double* out) const = 0;
  // v += sum_k coef[k] x over the rows of the list.
  virtual void add(RowList list, const double* coef, double* v) const = 0;
  // G (cols x cols, of which the lower triangle counts) += sign * sum_k weight[k] x x'.
  virtual void add_gram(RowList list, const double* weight, double sign, double* G) const = 0;
  // out[j] += sum_k weight[k] x_j^2.
  virtual void add_squares(RowList list, const double* weight, double* out) const = 0;
  // out[k] = x . x.
  virtual void squared_norms(RowList list, double* out) const = 0;
  // Asks the memory for rows that are wanted soon, in an order that it cannot guess.
  virtual void prefetch(RowList list) const = 0;

 protected:
  LinearRows(Index size, Index features, Index offsets) : size_(size), features_(features), cols_(features + offsets) {}

 private:
  Index size_, features_, cols_;
};

// The given rows of X, all where `rows` is empty. X, `rows` and the sides must outlive it.
std::unique_ptr<LinearRows> linear_rows(const Matrix& X, std::span<const Index> rows, OffsetColumns offsets);

// x . w for every row, the sum of the rows times their coefficients, both in one pass, and x . x; on several threads.
std::vector<double> linear_values(const LinearRows& X, const double* w, int threads, Stop& stop);
std::vector<double> linear_sums(const LinearRows& X, const double* coef, int threads, Stop& stop);
struct LinearProducts {
  std::vector<double> values, sums;
};
LinearProducts linear_products(const LinearRows& X, const double* w, const double* coef, int threads, Stop& stop);
std::vector<double> squared_norms(const LinearRows& X, int threads, Stop& stop);

}  // namespace mercer
