#include <algorithm>
#include <numeric>

#include "mercer/linear_rows.hpp"
#include "mercer/pool.hpp"

namespace mercer {
namespace {

// Parts that threads take; each has a sum of its own, so that the result does not depend on the threads.
constexpr Index rows_a_part = 4096;
constexpr Index most_parts = 16;

template <class Body>
void over_parts(Index rows, int threads, Stop& stop, Body body) {
  const Index parts = std::clamp<Index>(rows / rows_a_part, 1, most_parts);
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

}  // namespace

std::vector<double> linear_values(const LinearRows& X, const double* w, int threads, Stop& stop) {
  std::vector<double> values(static_cast<std::size_t>(X.size()));
  over_parts(X.size(), threads, stop,
             [&](std::size_t, Index first, RowList list) { X.dots(list, w, values.data() + first); });
  return values;
}

std::vector<double> linear_sums(const LinearRows& X, const double* coef, int threads, Stop& stop) {
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(most_parts));
  over_parts(X.size(), threads, stop, [&](std::size_t part, Index first, RowList list) {
    sums[part].assign(static_cast<std::size_t>(X.cols()), 0.0);
    X.add(list, coef + first, sums[part].data());
  });
  std::vector<double> total(static_cast<std::size_t>(X.cols()), 0.0);
  for (const std::vector<double>& sum : sums)
    for (std::size_t j = 0; j < sum.size(); ++j) total[j] += sum[j];
  return total;
}

}  // namespace mercer
