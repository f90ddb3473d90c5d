// One local system by its rows: for those whose moments do not tell enough.
//
// Solves      min sum_j w_j (y_j - phi_j' b)^2, with a ridge where the columns are dependent
// Given       columns sqrt(w) phi, sqrt(w) y, phi at the query
// How         Gram and Schmidt, each column twice; rounding then grows with the condition of the columns, not its
// square See         Bjorck (1996), Numerical Methods for Least Squares Problems, section 2.4
#pragma once

#include <vector>

#include "local/system.hpp"

namespace mercer {

class CarefulSystem {
 public:
  CarefulSystem(Index rows, Index size);

  // Column i, `rows` long: the first is that of the constant.
  double* column(Index i) { return columns_.data() + i * stride_; }
  double* root_weights() { return roots_.data(); }

  // `targets` are rows x fit.values.size(); `noise` of each row. Uses up the columns.
  void solve(const std::vector<double>& at, const double* targets, const double* noise, double ridge, LocalFit& fit);
  // After it, the equivalent kernel.
  const std::vector<double>& kernel() const { return kernel_; }

 private:
  // False where a column is left with less than a share of its square.
  bool orthogonalise(double least_share);

  Index rows_, size_, stride_;  // columns have room for the rows of a ridge
  std::vector<double> columns_, roots_, triangle_, kernel_;
};

}  // namespace mercer
