// The matrix of Newton's model in lasso.hpp: sum weight x x' over the rows within the margin, kept up to date by those
// that cross it.
#pragma once

#include "mercer/buffer.hpp"
#include "mercer/linear_rows.hpp"

namespace mercer {

class MarginGram {
 public:
  // Of no rows yet. X and the weights must outlive it.
  MarginGram(const LinearRows& X, std::span<const double> weight, int threads, Stop& stop);

  // Brings the matrix from the rows it was made of to these, in rising order.
  void follow(RowList inside);
  // Lower triangle, columns x columns.
  const double* data() const { return gram_.data(); }

 private:
  void add(RowList list, double sign);

  const LinearRows& X_;
  std::span<const double> weight_;
  int threads_;
  Stop& stop_;
  Buffer<double> gram_;
  std::vector<std::int32_t> inside_;  // the rows that it is made of
  std::size_t most_inside_ = 0;       // since it was summed anew
};

}  // namespace mercer
