// Rows whose column numbers have 32 bits, which is what the loops over several functions at once read.
#pragma once

#include <vector>

#include "row.hpp"

namespace mercer {

// The rows of a matrix as they are.
template <class View>
class NarrowRows {
 public:
  explicit NarrowRows(const View& X) : X_(X) {}
  RowOf<View> operator[](Index i) const { return row_of(X_, i); }

 private:
  View X_;
};

// With a copy of column numbers that have 64 bits.
template <class T>
class NarrowRows<Csr<T, std::int64_t>> {
 public:
  explicit NarrowRows(const Csr<T, std::int64_t>& X)
      : X_(X), columns_(X.indices + X.indptr[0], X.indices + X.indptr[X.rows]) {}
  SparseRow<T, std::int32_t> operator[](Index i) const {
    const SparseRow<T, std::int64_t> wide = row_of(X_, i);
    return {wide.values, columns_.data() + (X_.indptr[i] - X_.indptr[0]), wide.count};
  }

 private:
  Csr<T, std::int64_t> X_;
  std::vector<std::int32_t> columns_;
};

}  // namespace mercer
