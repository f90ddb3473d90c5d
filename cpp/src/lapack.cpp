#include "mercer/lapack.hpp"

#include <cmath>
#include <stdexcept>

namespace mercer {
namespace {

LapackTable installed;

// Column-major with 'U' reads the upper triangle, which is the lower one of these rows: A[j, i] with i <= j stands at
// A[j * n + i] and receives L[j, i].
template <class Int>
bool call_potrf(double* A, Index n) {
  using Potrf = void (*)(char*, Int*, double*, Int*, Int*);
  char upper = 'U';
  Int order = static_cast<Int>(n), info = 0;
  reinterpret_cast<Potrf>(installed.dpotrf)(&upper, &order, A, &order, &info);
  return info == 0;
}

template <class Int>
void call_potrs(const double* A, Index n, double* B, Index count) {
  using Potrs = void (*)(char*, Int*, Int*, double*, Int*, double*, Int*, Int*);
  char upper = 'U';
  Int order = static_cast<Int>(n), columns = static_cast<Int>(count), info = 0;
  reinterpret_cast<Potrs>(installed.dpotrs)(&upper, &order, &columns, const_cast<double*>(A), &order, B, &order, &info);
}

bool plain_cholesky(double* A, Index n) {
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) {
      double sum = A[j * n + i];
      for (Index k = 0; k < i; ++k) sum -= A[j * n + k] * A[i * n + k];
      if (i == j && !(sum > 0)) return false;
      A[j * n + i] = i == j ? std::sqrt(sum) : sum / A[i * n + i];
    }
  return true;
}

void plain_cholesky_solve(const double* A, Index n, double* b) {
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < i; ++k) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index k = i + 1; k < n; ++k) b[i] -= A[k * n + i] * b[k];
    b[i] /= A[i * n + i];
  }
}

}  // namespace

void install_lapack(const LapackTable& table) {
  if (table.integer_bytes != 4 && table.integer_bytes != 8)
    throw std::invalid_argument("LAPACK integers must have 4 or 8 bytes");
  installed = table;
}

bool has_lapack() { return installed.dpotrf && installed.dpotrs; }

bool cholesky(double* A, Index n) {
  if (!installed.dpotrf) return plain_cholesky(A, n);
  return installed.integer_bytes == 8 ? call_potrf<std::int64_t>(A, n) : call_potrf<std::int32_t>(A, n);
}

void cholesky_solve(const double* A, Index n, double* B, Index count) {
  if (!installed.dpotrs)
    for (Index column = 0; column < count; ++column) plain_cholesky_solve(A, n, B + column * n);
  else if (installed.integer_bytes == 8)
    call_potrs<std::int64_t>(A, n, B, count);
  else
    call_potrs<std::int32_t>(A, n, B, count);
}

}  // namespace mercer
