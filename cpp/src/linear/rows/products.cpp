#include <algorithm>
#include <numeric>

#include "mercer/linear_rows.hpp"
#include "mercer/pool.hpp"

namespace mercer {
namespace {

// Parts that threads take; each has a sum of its own, so that the result does not depend on the threads.
constexpr Index rows_per_part = 4096;
constexpr Index most_parts = 16;
// Rows that stay in the nearest caches between their product and their share of the sum.
constexpr std::size_t rows_per_block = 128;

template <class Body>
void over_parts(Index rows, int threads, Stop& stop, Body body) {
  const Index parts = std::clamp<Index>(rows / rows_per_part, 1, most_parts);
  parallel_for(
      parts, threads,
      [&](Index part) {
        const Index first = rows * part / parts, last = rows * (part + 1) / parts;
        std::vector<std::int32_t> list(static_cast<std::size_t>(last - first));
        std::iota(list.begin(), list.end(), static_cast<std::int32_t>(first));
        body(static_cast<std::size_t>(part), first, RowList(list));
      },
      &stop);
}

// Where `w` or `coef` is missing, so is what it is for.
LinearProducts products(const LinearRows& X, const double* w, const double* coef, int threads, Stop& stop) {
  LinearProducts found;
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(most_parts));
  if (w) found.values.resize(static_cast<std::size_t>(X.size()));
  over_parts(X.size(), threads, stop, [&](std::size_t part, Index first_of_part, RowList rows) {
    if (coef) sums[part].assign(static_cast<std::size_t>(X.cols()), 0.0);
    for (std::size_t k = 0; k < rows.size(); k += rows_per_block) {
      const RowList block = rows.subspan(k, std::min(rows_per_block, rows.size() - k));
      const Index first = first_of_part + static_cast<Index>(k);
      if (w) X.dots(block, w, found.values.data() + first);
      if (coef) X.add(block, coef + first, sums[part].data());
    }
  });
  if (coef) found.sums.assign(static_cast<std::size_t>(X.cols()), 0.0);
  for (const std::vector<double>& sum : sums)
    for (std::size_t j = 0; j < sum.size(); ++j) found.sums[j] += sum[j];
  return found;
}

}  // namespace

std::vector<double> linear_values(const LinearRows& X, const double* w, int threads, Stop& stop) {
  return products(X, w, nullptr, threads, stop).values;
}

std::vector<double> linear_sums(const LinearRows& X, const double* coef, int threads, Stop& stop) {
  return products(X, nullptr, coef, threads, stop).sums;
}

LinearProducts linear_products(const LinearRows& X, const double* w, const double* coef, int threads, Stop& stop) {
  return products(X, w, coef, threads, stop);
}

std::vector<double> squared_norms(const LinearRows& X, int threads, Stop& stop) {
  std::vector<double> norms(static_cast<std::size_t>(X.size()));
  over_parts(X.size(), threads, stop,
             [&](std::size_t, Index first, RowList rows) { X.squared_norms(rows, norms.data() + first); });
  return norms;
}

}  // namespace mercer
