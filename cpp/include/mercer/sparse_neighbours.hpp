// Exact nearest neighbours among sparse rows, by Euclidean distance or by the cosine.
//
// Dot products of a query with all rows are added up column by column, in float64. Columns that many rows use would
// take most of the time and tell little: what they can add is bounded by Cauchy and Schwarz. Rows that the bounds do
// not rule out are settled by the differences of their entries.
#pragma once

#include "mercer/neighbours.hpp"

namespace mercer {

// Sparse rows with columns in ascending order, in float64.
struct CompressedRows {
  // Throws std::invalid_argument where the matrix is dense.
  explicit CompressedRows(const Matrix& X);

  Index rows() const { return static_cast<Index>(begins.size()) - 1; }
  Index entries(Index row) const;

  std::vector<Index> begins;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

enum class SparseMetric {
  euclidean,
  // Of rows of length one the squared distance is twice that of the cosine; a row of zeros is as far from all others as
  // if it were orthogonal to them.
  cosine,
};

class SparseIndex {
 public:
  // Of the cosine, rows must have length one or be zero.
  SparseIndex(const Matrix& X, SparseMetric metric, Stop* stop = nullptr);

  const CompressedRows& rows() const { return rows_; }
  Index columns() const { return columns_; }
  SparseMetric metric() const { return metric_; }
  double squared_norm(Index row) const { return norms_[static_cast<std::size_t>(row)]; }
  Index most_entries() const { return most_entries_; }
  // Whether products leave a column out, and the norm of a row in these columns.
  bool is_left_out(Index column) const { return left_out_[static_cast<std::size_t>(column)] != 0; }
  double rest(Index row) const { return rests_[static_cast<std::size_t>(row)]; }
  // products[i] += value * X[first row of the block + i, column].
  void add_column(Index block, Index column, double value, double* products) const;
  Index blocks() const { return static_cast<Index>(blocks_.size()); }

  // Rows whose products are added up together: they stay in the cache.
  static constexpr Index block_rows = 16384;

 private:
  void choose_columns();

  // The entries of some rows by columns.
  struct Block {
    std::vector<Index> begins;
    std::vector<std::int32_t> rows;
    std::vector<double> values;
  };

  CompressedRows rows_;
  Index columns_;
  SparseMetric metric_;
  std::vector<double> norms_, rests_;
  std::vector<std::uint8_t> left_out_;
  Index most_entries_ = 0;
  std::vector<Block> blocks_;
};

// The squared norm that distances are computed with: one for a row of zeros, of the cosine.
double squared_norm(const CompressedRows& rows, Index row, SparseMetric metric);

// The norm of a row in the columns that products leave out.
double norm_left_out(const CompressedRows& rows, Index row, const SparseIndex& index);

struct SparseTask {
  const SparseIndex& index;
  const CompressedRows& queries;            // with the columns of the index
  std::span<const std::int64_t> excluded;   // as in NeighbourTask
  std::span<const std::uint8_t> forgotten;  // as there
};

// Distances are squared, and of the cosine twice the distance.
Nearest nearest(const SparseTask& task, Index k, const Workers& workers);
Within within(const SparseTask& task, double squared_radius, const Workers& workers);

}  // namespace mercer
