#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "mercer/indexing.hpp"
#include "mercer/sparse_neighbours.hpp"

namespace mercer {
namespace {

// What the columns that are left out may hold of all squared norms: the bound on a product is then off by about as
// much.
constexpr double share_left_out = 0.08;

}  // namespace

CompressedRows::CompressedRows(const Matrix& X) {
  std::visit(
      [&](const auto& view) {
        if constexpr (requires { view.indptr; }) {
          begins.assign(view.indptr, view.indptr + view.rows + 1);
          columns.assign(view.indices, view.indices + begins.back());
          values.assign(view.values, view.values + begins.back());
        } else {
          throw std::invalid_argument("rows must be sparse");
        }
      },
      X);
  for (Index i = 0; i < rows(); ++i)
    if (!std::is_sorted(columns.begin() + at(begins, i), columns.begin() + at(begins, i + 1)))
      throw std::invalid_argument("columns must ascend within a row");
}

Index CompressedRows::entries(Index row) const { return at(begins, row + 1) - at(begins, row); }

double squared_norm(const CompressedRows& rows, Index row, SparseMetric metric) {
  double sum = 0;
  for (Index e = at(rows.begins, row); e < at(rows.begins, row + 1); ++e)
    sum += at(rows.values, e) * at(rows.values, e);
  return sum == 0 && metric == SparseMetric::cosine ? 1 : sum;
}

SparseIndex::SparseIndex(const Matrix& X, SparseMetric metric, Stop* stop)
    : rows_(X), columns_(cols_of(X)), metric_(metric) {
  const Index n = rows_.rows();
  for (Index i = 0; i < n; ++i) {
    norms_.push_back(mercer::squared_norm(rows_, i, metric));
    most_entries_ = std::max(most_entries_, rows_.entries(i));
  }
  choose_columns();
  for (Index first = 0; first < n; first += block_rows) {
    if (stop) stop->poll();
    const Index last = std::min(n, first + block_rows);
    const Index from = at(rows_.begins, first), to = at(rows_.begins, last);
    Block block;
    block.begins.assign(static_cast<std::size_t>(columns_) + 1, 0);
    for (Index e = from; e < to; ++e)
      if (!is_left_out(at(rows_.columns, e))) ++at(block.begins, at(rows_.columns, e) + 1);
    for (Index c = 0; c < columns_; ++c) at(block.begins, c + 1) += at(block.begins, c);
    block.rows.resize(static_cast<std::size_t>(block.begins.back()));
    block.values.resize(static_cast<std::size_t>(block.begins.back()));
    std::vector<Index> next(block.begins.begin(), block.begins.end() - 1);
    for (Index i = first; i < last; ++i)
      for (Index e = at(rows_.begins, i); e < at(rows_.begins, i + 1); ++e) {
        if (is_left_out(at(rows_.columns, e))) continue;
        const Index place = at(next, at(rows_.columns, e))++;
        at(block.rows, place) = static_cast<std::int32_t>(i - first);
        at(block.values, place) = at(rows_.values, e);
      }
    blocks_.push_back(std::move(block));
  }
}

// Those that most rows use, as long as they hold little of the norms.
void SparseIndex::choose_columns() {
  const auto count = static_cast<std::size_t>(columns_);
  std::vector<Index> used(count, 0);
  std::vector<double> squares(count, 0.0);
  for (std::size_t e = 0; e < rows_.values.size(); ++e) {
    ++at(used, rows_.columns[e]);
    at(squares, rows_.columns[e]) += rows_.values[e] * rows_.values[e];
  }
  std::vector<Index> order = counted(0, columns_);
  std::ranges::stable_sort(order, [&](Index a, Index b) { return at(used, a) > at(used, b); });
  double left = share_left_out * std::accumulate(squares.begin(), squares.end(), 0.0);
  left_out_.assign(count, 0);
  for (const Index column : order) {
    left -= at(squares, column);
    if (!(left > 0)) break;
    at(left_out_, column) = 1;
  }
  for (Index i = 0; i < rows_.rows(); ++i) rests_.push_back(norm_left_out(rows_, i, *this));
}

double norm_left_out(const CompressedRows& rows, Index row, const SparseIndex& index) {
  double sum = 0;
  for (Index e = at(rows.begins, row); e < at(rows.begins, row + 1); ++e)
    if (index.is_left_out(at(rows.columns, e))) sum += at(rows.values, e) * at(rows.values, e);
  return std::sqrt(sum);
}

void SparseIndex::add_column(Index block, Index column, double value, double* products) const {
  const Block& own = at(blocks_, block);
  const Index last = at(own.begins, column + 1);
  const std::int32_t* rows = own.rows.data();
  const double* values = own.values.data();
  for (Index e = at(own.begins, column); e < last; ++e) products[rows[e]] += value * values[e];
}

}  // namespace mercer
