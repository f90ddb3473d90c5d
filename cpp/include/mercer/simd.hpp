// The few hot loops, compiled once per instruction set and chosen at run time.
//
// Every level implements the same table. A new level (AVX-512, NEON) is one more file in src/simd that includes
// ops_impl.hpp with its own vector width, and one more line in dispatch.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mercer/view.hpp"

namespace mercer {

// Rows a panel holds: one cache line of values for each feature, whatever the level.
template <class T>
inline constexpr Index lanes = 64 / static_cast<Index>(sizeof(T));

// The best partner for one side of a two-variable step, and the least value over the other side.
struct Partner {
  Index index;    // -1 where no variable can pair with a gain
  double lowest;  // min of values + low_penalty
};

template <class T>
struct Ops {
  // out[a * ld + b] = A[a] . B[b] for `na` row-major rows of A and `panels` panels of B.
  void (*dots)(const T* A, Index na, Index d, const T* B, Index panels, T* out, Index ld);
  // out[a * ld + b] = sum_k |A[a, k] - B[b, k]|, the same shapes.
  void (*manhattan)(const T* A, Index na, Index d, const T* B, Index panels, T* out, Index ld);
  // out[a * ld + b] = sum_k (A[a, k] - B[b, k])^2, the same shapes.
  void (*differences)(const T* A, Index na, Index d, const T* B, Index panels, T* out, Index ld);
  // acc[lane] = sum over a sparse row of value * table[slot of its column][lane], 16 or 8 lanes.
  void (*sparse_dots)(const T* table, const std::int32_t* slots, const std::int32_t* columns, const T* values,
                      Index nnz, T* acc);
  // acc[lane] = sum over a sparse row of |table - value| - |table|.
  void (*sparse_manhattan)(const T* table, const std::int32_t* slots, const std::int32_t* columns, const T* values,
                           Index nnz, T* acc);

  // Kernel maps, in place. On a row of dot products with the squared norms of both sides: exp(-gamma |x - z|^2), where
  // distances below `rounding` times the norms are zero.
  void (*map_rbf)(T* v, Index n, T norm, const T* norms, T gamma, T rounding);
  // On a row of distances: exp(-gamma v).
  void (*map_exponential)(T* v, Index n, T gamma);
  // On a row of dot products.
  void (*map_polynomial)(T* v, Index n, T gamma, T coef0, int degree);
  void (*map_sigmoid)(T* v, Index n, T gamma, T coef0);

  // sum_i v[i] * coef[i], in double.
  double (*weighted_sum)(const T* v, const double* coef, Index n);
  // out[i] += c * v[i].
  void (*add_scaled)(double* out, const T* v, double c, Index n);

  // The two-variable step of the working set: values -= t * (ki - kj); then the index of the largest
  // values + up_penalty.
  Index (*update_and_argmax)(double* values, const T* ki, const T* kj, double t, const double* up_penalty, Index n);
  // Second-order partner of variable i: argmax b^2 / a with b = top - values_j > 0 and
  // a = k_ii + k_jj - 2 k_ij, no less than least_curvature (|k_ii| + |k_jj|), over j with low_penalty 0.
  Partner (*best_partner)(const double* values, const T* ki, const double* diagonal, double kii, double top,
                          const double* low_penalty, double least_curvature, Index n);
};

// The tables in use. Set by MERCER_SIMD (base, avx2) or by what the processor has.
template <class T>
const Ops<T>& ops();

std::string_view simd_level();
std::vector<std::string_view> simd_levels();
// Chooses a level by name; false where this processor or this build lacks it.
bool set_simd_level(std::string_view name);

}  // namespace mercer
