// Linear classifiers of several classes at once: f_m(x) = w_m . x, and the class of a row is to stand out from all
// others.
//
//   min  1/2 sum_m |w_m|^2 + sum_i C_i max over m of  e_im + f_m(x_i) - f_y(x_i)
//   max  -1/2 sum_m |w_m|^2 - sum_im e_im alpha_im   with  w_m = sum_i alpha_im x_i,
//        sum_m alpha_im = 0,  alpha_iy <= C_i,  alpha_im <= 0 for the other classes
//
// Here y is the class of row i, and e_im is 0 for it and 1 for the others. The offsets are the weights of one more
// column, as in LIBLINEAR.
#pragma once

#include <cstdint>
#include <span>

#include "mercer/linear_problem.hpp"

namespace mercer {

struct CrammerSingerProblem {
  std::span<const std::int32_t> labels;  // of the rows, from 0
  Index classes = 0;
  std::span<const double> bounds;  // C, zero for rows that do not count
  OffsetColumns offsets;           // one at most
  // Dual variables of a like problem to start from, rows x classes; may be empty.
  std::span<const double> start;
};

// The weights of the solution are classes x columns, its dual variables alpha rows x classes; steps are passes over the
// rows.
LinearSolution solve_crammer_singer(const Matrix& X, const CrammerSingerProblem& problem, const LinearOptions& options,
                                    Stop& stop);

}  // namespace mercer
