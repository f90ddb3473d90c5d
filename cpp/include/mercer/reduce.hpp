// Sums and matrices over tiles, in parallel.
#pragma once

#include "mercer/pool.hpp"
#include "mercer/tile.hpp"

namespace mercer {

// Centres first..last contribute coef[0..last-first] times their kernel value to one output.
struct Segment {
  Index output;
  Index first;
  Index last;
  const double* coef;
};

// out[i, o] = sum of the segments of output o at row rows[i] of X (every row where `rows` is null).
template <class T>
void evaluate(const Kernel& kernel, const Frame& frame, const Points<T>& centres, const std::vector<Segment>& segments,
              Index outputs, const Matrix& X, const std::vector<Index>* rows, double* out, int threads, Stop* stop);

// Rows of X and a coefficient for each of them.
struct RowCoefficients {
  std::vector<Index> rows;
  std::span<const double> coef;
};

// out[k][i] = sum_j coef_j k(X[rows_j], X[rows_i]) for each of several sets of rows, every value in float64.
// One set is evaluated by all threads, several side by side.
std::vector<std::vector<double>> expand(const Kernel& kernel, const Matrix& X, const std::vector<RowCoefficients>& sets,
                                        int threads, Stop* stop);

// out[a * P.size() + b] = k(X[a], P[b]).
template <class T>
void kernel_matrix(const Kernel& kernel, const Frame& frame, const Matrix& X, const Points<T>& P, T* out, int threads,
                   Stop* stop);

// out[i * q + j] = k(P[rows[i]], P[rows[j]]), each pair computed once; q = rows.size().
template <class T>
void symmetric_block(const Kernel& kernel, const Points<T>& P, std::span<const Index> rows, T* out, int threads,
                     Stop* stop);

}  // namespace mercer
