// Symmetric positive definite systems. One thread, and the same bits whatever else the process runs: a threaded BLAS
// would promise neither.
#pragma once

#include "mercer/view.hpp"

namespace mercer {

// Factors the symmetric A (n x n, of which the lower triangle is read and overwritten) as L L'; false where it is not
// positive definite.
bool cholesky(double* A, Index n);
// Solves A x = b in place for the columns of B (n x count, column after column), given what `cholesky` left in A.
void cholesky_solve(const double* A, Index n, double* B, Index count);

}  // namespace mercer
