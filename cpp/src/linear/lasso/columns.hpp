// Columns of a matrix, copied: some of them as rows again, or all of them one by one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/linear_rows.hpp"

namespace mercer {

// The chosen columns of X, in rising order, with the type of X.
class ColumnSubset {
 public:
  ColumnSubset(const Matrix& X, std::span<const Index> chosen);
  const Matrix& matrix() const { return matrix_; }

 private:
  std::shared_ptr<const void> owner_;
  Matrix matrix_;
};

// Compressed columns in float64.
struct Columns {
  // With the offset column behind those of X where there is one.
  Columns(const Matrix& X, OffsetColumns offsets);

  std::vector<Index> begin;  // of each column and behind the last
  std::vector<std::int32_t> rows;
  std::vector<double> values;
};

}  // namespace mercer
