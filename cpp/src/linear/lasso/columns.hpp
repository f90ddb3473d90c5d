// Columns of a matrix, copied: some of them as rows again, or all of them one by one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/view.hpp"

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
  // With one more column of the value `offset` where that is not zero.
  Columns(const Matrix& X, double offset);

  std::vector<Index> begin;  // of each column and behind the last
  std::vector<std::int32_t> rows;
  std::vector<double> values;
};

}  // namespace mercer
