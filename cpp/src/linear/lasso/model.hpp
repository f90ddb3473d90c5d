// Newton's model of the losses around the weights w, with the penalty of the weights as it is:
//
//   m(u) = gradient . (u - w) + 1/2 (u - w)' (H + diag(ridge)) (u - w) + sum_j penalty_j |u_j|
#pragma once

#include <span>
#include <vector>

#include "columns.hpp"
#include "mercer/stop.hpp"

namespace mercer {

struct LassoModel {
  std::span<const double> w, gradient, penalty, ridge;
};

// The u that about minimises the model, given H (n x n, both triangles).
std::vector<double> minimise_by_matrix(const LassoModel& model, const double* H, Stop& stop);
// The same, given the data X and weights h of the rows so that H = sum_i h_i x_i x_i'.
std::vector<double> minimise_by_columns(const LassoModel& model, const Columns& X, std::span<const double> h,
                                        Stop& stop);

}  // namespace mercer
