// Sums over rows of the data, sum_j coef_j k(source j, target i), at other rows of them.
#pragma once

#include "mercer/pool.hpp"
#include "mercer/prepared.hpp"

namespace mercer {

// Rows of the data with a coefficient each, and the rows at which their sum is wanted.
struct Expansion {
  std::vector<Index> targets;
  std::vector<Index> sources;
  std::vector<double> coef;
};

// The expansion without the sources whose coefficient is zero. Throws std::invalid_argument where a row is not one of
// `rows`, or a source has no coefficient.
Expansion checked_expansion(std::span<const Index> targets, std::span<const Index> sources,
                            std::span<const double> coef, Index rows);

// out[i] += sum_j coef_j k(sources_j, targets_i), for rows of prepared data.
template <class T>
void add_products(const Prepared<T>& data, std::span<const Index> targets, std::span<const Index> sources,
                  std::span<const double> coef, double* out, const Workers& workers);

// The sums of each of several expansions. One is evaluated by all threads, several side by side.
template <class T>
std::vector<std::vector<double>> expand(const Prepared<T>& data, const std::vector<Expansion>& expansions,
                                        const Workers& workers);

// The same for rows of X, with values in T. The kernel is that of X, the frame the one to compute in.
template <class T>
std::vector<std::vector<double>> expand(const Kernel& kernel, const Frame& frame, const Matrix& X,
                                        const std::vector<Expansion>& expansions, const Workers& workers);

}  // namespace mercer
