// The weights of Crammer and Singer's machine: feature by feature with the classes side by side, so that the values of
// a row for all classes are one loop.
#pragma once

#include <algorithm>
#include <vector>

#include "linear/rows/narrow_rows.hpp"
#include "mercer/buffer.hpp"
#include "mercer/linear_rows.hpp"
#include "row_standing.hpp"

namespace mercer {

template <class View>
class ClassWeights {
 public:
  // All zero.
  ClassWeights(const View& X, OffsetColumns offsets, Index classes)
      : rows_(X),
        features_(X.cols),
        cols_(X.cols + offsets.count),
        offset_(offsets.count > 0 ? offsets.value : 0.0),
        classes_(classes),
        stride_(padded_classes(classes)),
        W_((X.cols + 1) * stride_) {
    clear();
  }

  Index cols() const { return cols_; }
  void clear() { std::fill_n(W_.data(), W_.size(), 0.0); }

  // values[m] = e_m + f_m for a row of class y, padded.
  void values_of(Index i, Index y, double* values) const {
    std::fill_n(values, stride_, 0.0);
    rows_[i].add_values(W_.data(), stride_, values);
    const double* of_offset = W_.data() + features_ * stride_;
    const double own = values[y] + offset_ * of_offset[y];
    for (Index m = 0; m < classes_; ++m) values[m] += offset_ * of_offset[m] + 1;
    values[y] = own;
    std::fill(values + classes_, values + stride_, never_largest);
  }

  // w_m += coef[m] x for every class; padded with zeros.
  void add(Index i, const double* coef) {
    rows_[i].add_outer_to(W_.data(), stride_, coef);
    double* of_offset = W_.data() + features_ * stride_;
    for (Index m = 0; m < classes_; ++m) of_offset[m] += offset_ * coef[m];
  }

  // Of a row with its offset.
  double squared_norm(Index i) const {
    double sum = offset_ * offset_;
    rows_[i].each([&](Index, double x) { sum += x * x; });
    return sum;
  }
  Index entries_of(Index i) const { return rows_[i].count + 1; }

  double half_norm() const {
    double sum = 0;
    for (Index j = 0; j < W_.size(); ++j) sum += W_[j] * W_[j];
    return 0.5 * sum;
  }

  // Classes x columns, with the offset behind the features.
  std::vector<double> by_class() const {
    std::vector<double> w(static_cast<std::size_t>(classes_ * cols_));
    for (Index m = 0; m < classes_; ++m)
      for (Index j = 0; j < cols_; ++j) w[static_cast<std::size_t>(m * cols_ + j)] = W_[j * stride_ + m];
    return w;
  }

 private:
  NarrowRows<View> rows_;
  Index features_, cols_;
  double offset_;
  Index classes_, stride_;
  Buffer<double> W_;  // columns x classes, padded with zeros; the last row is that of the offset
};

}  // namespace mercer
