#include "mercer/blas.hpp"

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

}  // namespace

void install_blas(const BlasTable& table) {
  if (table.integer_bytes != 4 && table.integer_bytes != 8)
    throw std::invalid_argument("BLAS integers must have 4 or 8 bytes");
  installed = table;
}

bool has_blas() { return installed.sgemm && installed.dgemm; }

template <>
void row_products<float>(const float* A, Index na, const float* B, Index nb, Index d, float* out, Index ld) {
  dispatch(installed.sgemm, A, na, B, nb, d, out, ld);
}
template <>
void row_products<double>(const double* A, Index na, const double* B, Index nb, Index d, double* out, Index ld) {
  dispatch(installed.dgemm, A, na, B, nb, d, out, ld);
}

}  // namespace mercer
