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
#include <vector>

#include "mercer/stop.hpp"

namespace mercer {

struct CrammerSingerProblem {
  std::span<const std::int32_t> labels;  // of the rows, from 0
  Index classes = 0;
  std::span<const double> bounds;  // C, zero for rows that do not count
  double offset = 0;               // the value of the offset column; zero where there is none
  // Dual variables of a like problem to start from, rows x classes; may be empty.
  std::span<const double> start;
};

struct CrammerSingerOptions {
  // Ends where the duality gap is within this share of the objective.
  double gap_tol = 1e-4;
  std::uint64_t seed = 0;
  int threads = 1;
};

struct CrammerSingerSolution {
  std::vector<double> W;      // classes x columns, with the offset behind the features
  std::vector<double> alpha;  // rows x classes
  Index steps = 0;            // passes over the rows
  Status status = Status::stalled;
};

CrammerSingerSolution solve_crammer_singer(const Matrix& X, const CrammerSingerProblem& problem,
                                           const CrammerSingerOptions& options, Stop& stop);

}  // namespace mercer
