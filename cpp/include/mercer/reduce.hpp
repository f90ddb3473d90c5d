// Sums and matrices over tiles, in parallel.
#pragma once

#include "mercer/pool.hpp"
#include "mercer/prepared.hpp"
#include "mercer/tile.hpp"

namespace mercer {

// Centres first..last contribute coef[0..last-first] times their kernel value to one output.
struct Segment {
  Index output;
  Index first;
  Index last;
  const double* coef;
};

// out[i, o] = sum of the segments of output o at row rows[i] of X (every row where `rows` is null). Coefficients are
// rounded to T.
template <class T>
void evaluate(const Kernel& kernel, const Frame& frame, const Points<T>& centres, const std::vector<Segment>& segments,
              Index outputs, const Matrix& X, const std::vector<Index>* rows, double* out, int threads, Stop* stop);

// Rows of X with a coefficient each, and the rows at which their sum is wanted.
struct Expansion {
  std::vector<Index> targets;
  std::vector<Index> sources;
  std::vector<double> coef;
};

// out[k][i] = sum_j coef_j k(X[sources_j], X[targets_i]) for each of several expansions, with values in T.
// One is evaluated by all threads, several side by side. The kernel is that of X, the frame the one to compute in.
template <class T>
std::vector<std::vector<double>> expand(const Kernel& kernel, const Frame& frame, const Matrix& X,
                                        const std::vector<Expansion>& expansions, int threads, Stop* stop);

// out[i] += sum_j coef_j k(sources_j, targets_i), for rows of prepared data.
template <class T>
void add_products(const Prepared<T>& data, std::span<const Index> targets, std::span<const Index> sources,
                  std::span<const double> coef, double* out, int threads, Stop* stop);

// The same for rows of prepared data.
template <class T>
std::vector<std::vector<double>> expand(const Prepared<T>& data, const std::vector<Expansion>& expansions, int threads,
                                        Stop* stop);

// out[a * P.size() + b] = k(X[a], P[b]).
template <class T>
void kernel_matrix(const Kernel& kernel, const Frame& frame, const Matrix& X, const Points<T>& P, T* out, int threads,
                   Stop* stop);

// out[i * ld + j] = k(rows[i], columns[j]) for rows of prepared data.
template <class T>
void kernel_block(const Prepared<T>& data, std::span<const Index> rows, std::span<const Index> columns, T* out,
                  Index ld, int threads, Stop* stop);

// The same with the rows themselves for columns, each pair computed once.
template <class T>
void symmetric_block(const Prepared<T>& data, std::span<const Index> rows, T* out, Index ld, int threads, Stop* stop);

}  // namespace mercer
