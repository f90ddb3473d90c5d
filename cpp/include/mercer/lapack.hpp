// LAPACK through function pointers: SciPy's, handed in from Python, or plain loops where none is installed.
#pragma once

#include "mercer/view.hpp"

namespace mercer {

struct LapackTable {
  void* dpotrf = nullptr;
  void* dpotrs = nullptr;
  int integer_bytes = 4;  // width of the integers the routines take
};

// Not thread-safe: called once, before any work.
void install_lapack(const LapackTable& table);
bool has_lapack();

// Factors the symmetric A (n x n, overwritten by its factor) as L L'; false where it is not positive definite.
bool cholesky(double* A, Index n);
// Solves A x = b in place for the columns of B (n x count, column after column), given what `cholesky` left in A.
void cholesky_solve(const double* A, Index n, double* B, Index count);

}  // namespace mercer
