// BLAS and LAPACK through function pointers: SciPy's, handed in from Python, or plain loops where none is installed.
#pragma once

#include "mercer/view.hpp"

namespace mercer {

struct BlasTable {
  void* sgemm = nullptr;
  void* dgemm = nullptr;
  void* dpotrf = nullptr;
  void* dpotrs = nullptr;
  int integer_bytes = 4;  // width of the integers the routines take
};

// Not thread-safe: called once, before any work.
void install_blas(const BlasTable& table);
bool has_blas();

// out[a * ld + b] = A[a] . B[b] for row-major rows of length d.
template <class T>
void row_products(const T* A, Index na, const T* B, Index nb, Index d, T* out, Index ld);

// Factors the symmetric A (n x n, overwritten by its factor) as L L'; false where it is not positive definite.
bool cholesky(double* A, Index n);
// Solves A x = b in place for the columns of B (n x count, column after column), given what `cholesky` left in A.
void cholesky_solve(const double* A, Index n, double* B, Index count);

}  // namespace mercer
