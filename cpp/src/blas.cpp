#include "mercer/blas.hpp"

#include <cmath>
#include <stdexcept>

namespace mercer {
namespace {

BlasTable installed;

template <class T, class Int>
using Gemm = void (*)(char*, char*, Int*, Int*, Int*, T*, T*, Int*, T*, Int*, T*, T*, Int*);

// BLAS is column-major: row-major A (na x d) is its d x na, and out (na x ld) its ld x na.
template <class T, class Int>
void call_gemm(void* routine, const T* A, Index na, const T* B, Index nb, Index d, T* out, Index ld) {
  char transposed = 'T', plain = 'N';
  Int m = static_cast<Int>(nb), n = static_cast<Int>(na), k = static_cast<Int>(d), ldc = static_cast<Int>(ld);
  T one = 1, zero = 0;
  reinterpret_cast<Gemm<T, Int>>(routine)(&transposed, &plain, &m, &n, &k, &one, const_cast<T*>(B), &k,
                                          const_cast<T*>(A), &k, &zero, out, &ldc);
}

template <class T>
void plain_loops(const T* A, Index na, const T* B, Index nb, Index d, T* out, Index ld) {
  for (Index a = 0; a < na; ++a)
    for (Index b = 0; b < nb; ++b) {
      T sum = 0;
      for (Index k = 0; k < d; ++k) sum += A[a * d + k] * B[b * d + k];
      out[a * ld + b] = sum;
    }
}

template <class T>
void dispatch(void* routine, const T* A, Index na, const T* B, Index nb, Index d, T* out, Index ld) {
  if (!routine)
    plain_loops(A, na, B, nb, d, out, ld);
  else if (installed.integer_bytes == 8)
    call_gemm<T, std::int64_t>(routine, A, na, B, nb, d, out, ld);
  else
    call_gemm<T, std::int32_t>(routine, A, na, B, nb, d, out, ld);
}

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

void install_blas(const BlasTable& table) {
  if (table.integer_bytes != 4 && table.integer_bytes != 8)
    throw std::invalid_argument("BLAS integers must have 4 or 8 bytes");
  installed = table;
}

bool has_blas() { return installed.sgemm && installed.dgemm && installed.dpotrf && installed.dpotrs; }

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

template <>
void row_products<float>(const float* A, Index na, const float* B, Index nb, Index d, float* out, Index ld) {
  dispatch(installed.sgemm, A, na, B, nb, d, out, ld);
}
template <>
void row_products<double>(const double* A, Index na, const double* B, Index nb, Index d, double* out, Index ld) {
  dispatch(installed.dgemm, A, na, B, nb, d, out, ld);
}

}  // namespace mercer
