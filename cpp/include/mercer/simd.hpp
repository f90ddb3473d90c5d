// The few hot loops, compiled once per instruction set and chosen at run time.
//
// Every level implements the same table. A new level (AVX-512, NEON) is one more file in src/simd that includes
// ops_impl.hpp with its own vector width, and one more line in dispatch.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mercer/leaf.hpp"
#include "mercer/view.hpp"

namespace mercer {

// Rows a panel holds: one cache line of values for each feature, whatever the level.
template <class T>
inline constexpr Index lanes = 64 / static_cast<Index>(sizeof(T));

// The best partner for one side of a two-variable step, and the least value over the other side.
template <class T>
struct Partner {
  Index index;  // -1 where no variable can pair with a gain
  T lowest;     // min of values + low_penalty
};

// What two rows with missing values have in common.
struct SharedDistance {
  double squared;  // the sum of squared differences
  Index features;  // that both have
};

// A leaf's numbers for its loops. Squared distances below `rounding` times the norms are zero.
template <class T>
struct LeafNumbers {
  LeafParameters parameters;
  T rounding = 0;
};

// Row-major rows, `stride` apart, against panels.
template <class T>
struct PanelBlock {
  const T* A;
  const T* A_norms;  // squared
  Index na;
  Index stride;
  const T* B;
  const T* B_norms;
  Index panels;
  Index d;
};

// The most rows a loop takes. Loops of sums also want few panels: they round to T on the way.
inline constexpr Index rows_at_once = 96;

// How far apart rows are: the sum of the sizes of their differences, the root of the sum of squares, or the largest.
enum class Norm { manhattan, euclidean, chebyshev };

// Values of which the least is found together.
inline constexpr Index values_per_group = 64;

// Of so few features the squared distance is the same to the last bit from a row and from a panel.
inline constexpr Index features_one_by_one = 8;

// Sparse queries side by side in a table with a row of them for each column they use.
template <class T>
inline constexpr Index table_lanes = 2 * lanes<T>;

// A table of queries against compressed rows.
template <class T>
struct SparseBlock {
  const T* table;
  const std::int32_t* slots;  // column -> row of the table; row 0 is zero
  const T* offset;            // added to the sum of each query
  const T* query_norms;
  const Index* begin;  // of nb + 1 rows
  const std::int32_t* columns;
  const T* values;
  const T* norms;
  Index nb;
};

// The loops of one leaf.
template <class T>
struct LeafLoops {
  // out[a * ld + b] = k(A[a], B[b]).
  void (*values)(const PanelBlock<T>& block, const LeafNumbers<T>& leaf, T* out, Index ld);
  // out[a] += sum_b k(A[a], B[b]) coef[b], with a coefficient for every lane of every panel.
  void (*sums)(const PanelBlock<T>& block, const LeafNumbers<T>& leaf, const T* coef, double* out);
  // out[b * table_lanes + q] = k(query q, row b).
  void (*sparse_values)(const SparseBlock<T>& block, const LeafNumbers<T>& leaf, T* out);
  // out[q] += sum_b k(query q, row b) coef[b].
  void (*sparse_sums)(const SparseBlock<T>& block, const LeafNumbers<T>& leaf, const T* coef, double* out);
};

template <class T>
struct Ops {
  // Of every leaf, by its number.
  const LeafLoops<T>* leaves;
  // The same with squared distances by the differences of features instead of norms and a dot product. Null for other
  // sums and for sparse rows.
  const LeafLoops<T>* leaves_by_differences;
  // out[a * ld + b] = A[a] . B[b].
  void (*products)(const PanelBlock<T>& block, T* out, Index ld);
  // x . x, rounded as the loops over panels or over sparse rows round x . z: a row then has distance zero from itself.
  T (*self_dot)(const T* x, Index d, bool sparse);
  // out[c * ld_out + r] = in[r * ld_in + c].
  void (*transpose)(const T* in, Index ld_in, Index rows, Index cols, T* out, Index ld_out);

  // sum_i v[i] * coef[i], in double.
  double (*weighted_sum)(const T* v, const T* coef, Index n);
  // out[i] += c * v[i].
  void (*add_scaled)(double* out, const T* v, double c, Index n);
  // sum_i v[i] * w[i], in double.
  double (*dot)(const T* v, const double* w, Index n);
  // The same for several rows.
  void (*dots)(const T* const* rows, Index count, const double* w, Index n, double* out);
  // sum_i (a[i] - b[i])^2 in double, or some number above the limit where that is above it.
  double (*squared_distance)(const T* a, const T* b, Index n, double limit);
  // The same over the places where neither is NaN.
  SharedDistance (*shared_distance)(const T* a, const T* b, Index n);
  // G (n x n, of which the lower triangle counts) += sign * P'P for a panel P of row-major rows.
  void (*add_gram)(const T* panel, Index rows, Index n, T sign, T* G);
  // out[0, k) += sum_e x[e] W[columns[e]] over rows of W that are k long, a multiple of lanes<double>; without columns
  // these are 0, 1, 2 and so on.
  void (*add_rows)(const T* x, const std::int32_t* columns, Index count, const double* W, Index k, double* out);
  // W[columns[e]] += x[e] c for the same rows.
  void (*add_outer)(const T* x, const std::int32_t* columns, Index count, const double* c, Index k, double* W);

  // out[g] is the least of a group of values, of which there are `groups`.
  void (*least_of_groups)(const T* values, Index groups, T* out);
  // How far a row is from those of some panels, squared for the Euclidean norm.
  void (*panel_distances)(const T* panels, Index count, const T* query, Index d, Norm norm, T* out);
  // Which of some values are at most the limit: a bit each, of which there is room for so many.
  std::uint64_t (*at_most)(const T* values, Index count, T limit);
  // How far a query is from a box at least, in powers of the norm; `d` is a multiple of lanes.
  T (*box_distance)(const T* low, const T* high, const T* query, Index d, Norm norm);

  // The two-variable step of the working set: values -= t * (ki - kj); then the index of the largest
  // values + up_penalty, the last of several as large; -1 where all are minus infinity.
  Index (*update_and_argmax)(T* values, const T* ki, const T* kj, T t, const T* up_penalty, Index n);
  // Second-order partner of variable i: argmax b^2 / a with b = top - values_j > 0 and
  // a = k_ii + k_jj - 2 k_ij, no less than least_curvature (|k_ii| + |k_jj|), over j with low_penalty 0; the last of
  // several that are as good.
  Partner<T> (*best_partner)(const T* values, const T* ki, const T* diagonal, T kii, T top, const T* low_penalty,
                             T least_curvature, Index n);
};

// The tables in use. Set by MERCER_SIMD (base, avx2) or by what the processor has.
template <class T>
const Ops<T>& ops();

std::string_view simd_level();
std::vector<std::string_view> simd_levels();
// Chooses a level by name; false where this processor or this build lacks it.
bool set_simd_level(std::string_view name);

}  // namespace mercer
