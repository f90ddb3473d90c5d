// Makes       rows ready to be searched: centred, turned and scaled
// Given       dense rows, a centre, a unit and directions (turned_rows.hpp)
// Returns     features in float32 or float64, and norms of what they leave; all is computed in float64
#include "mercer/turned_rows.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/buffer.hpp"
#include "mercer/indexing.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

// Rows that are turned together: they stay in the cache while the directions go by.
constexpr Index turned_at_once = 24;
// Rows that one thread takes at a time; sums of so many are added in their order, whatever the threads.
constexpr Index rows_per_chunk = 4096;

Index chunks_of(Index rows, Index size) { return (rows + size - 1) / size; }

// Calls body with the rows, dense in one precision or the other; there are no others.
template <class Body>
void with_dense(const Matrix& rows, Body body) {
  std::visit(
      [&](const auto& X) {
        if constexpr (requires { X.row(0); }) body(X);
      },
      rows);
}

// Directions side by side, as products take them.
Buffer<double> in_panels(const Dense<double>& directions) {
  constexpr Index width = lanes<double>;
  const Index d = directions.rows, panels = chunks_of(directions.cols, width);
  Buffer<double> out(panels * d * width);
  std::fill_n(out.data(), out.size(), 0.0);
  for (Index k = 0; k < d; ++k)
    for (Index j = 0; j < directions.cols; ++j) out[(j / width * d + k) * width + j % width] = directions.row(k)[j];
  return out;
}

double squared_sum(const double* values, Index count) { return ops<double>().weighted_sum(values, values, count); }

}  // namespace

Extent extent_of(const Matrix& rows, const Workers& workers) {
  const Index n = rows_of(rows), d = cols_of(rows), chunks = chunks_of(n, rows_per_chunk);
  Extent found{std::vector<double>(static_cast<std::size_t>(d), 0.0), 0, 0};
  if (n == 0) return found;
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(chunks));
  std::vector<double> largest(sums.size(), 0.0), reach(sums.size(), 0.0);
  with_dense(rows, [&](const auto& X) {
    parallel_for(
        chunks, workers.threads,
        [&](Index chunk) {
          std::vector<double>& sum = at(sums, chunk);
          sum.assign(static_cast<std::size_t>(d), 0.0);
          double most = 0;
          for (Index i = chunk * rows_per_chunk; i < std::min(n, (chunk + 1) * rows_per_chunk); ++i)
            for (Index k = 0; k < d; ++k) {
              const auto value = static_cast<double>(X.row(i)[k]);
              at(sum, k) += value;
              most = std::max(most, std::abs(value));
            }
          at(largest, chunk) = most;
        },
        workers.stop);
    for (const std::vector<double>& sum : sums)
      for (Index k = 0; k < d; ++k) at(found.centre, k) += at(sum, k) / static_cast<double>(n);
    parallel_for(
        chunks, workers.threads,
        [&](Index chunk) {
          std::vector<double> centred(static_cast<std::size_t>(d));
          for (Index i = chunk * rows_per_chunk; i < std::min(n, (chunk + 1) * rows_per_chunk); ++i) {
            for (Index k = 0; k < d; ++k) at(centred, k) = static_cast<double>(X.row(i)[k]) - at(found.centre, k);
            at(reach, chunk) = std::max(at(reach, chunk), squared_sum(centred.data(), d));
          }
        },
        workers.stop);
  });
  found.largest = std::ranges::max(largest);
  found.squared_reach = std::ranges::max(reach);
  return found;
}

template <class T>
void turn(const Matrix& rows, const Turn& by, const TurnedRows<T>& out, const Workers& workers) {
  const Index n = rows_of(rows), d = cols_of(rows), kept = by.directions.cols;
  const Index panels = chunks_of(kept, lanes<double>), ld = panels * lanes<double>;
  const Buffer<double> directions = in_panels(by.directions);
  with_dense(rows, [&](const auto& X) {
    parallel_for(
        chunks_of(n, turned_at_once), workers.threads,
        [&](Index chunk) {
          const Index first = chunk * turned_at_once, count = std::min(turned_at_once, n - first);
          Buffer<double> centred(count * d), turned(count * ld);
          for (Index i = 0; i < count; ++i)
            for (Index k = 0; k < d; ++k)
              centred[i * d + k] = (static_cast<double>(X.row(first + i)[k]) - at(by.centre, k)) * by.unit;
          if (kept > 0)
            ops<double>().products({.A = centred.data(),
                                    .A_norms = nullptr,
                                    .na = count,
                                    .stride = d,
                                    .B = directions.data(),
                                    .B_norms = nullptr,
                                    .panels = panels,
                                    .d = d},
                                   turned.data(), ld);
          for (Index i = 0; i < count; ++i) {
            const double* from = kept > 0 ? turned.data() + i * ld : centred.data() + i * d;
            T* to = out.features + (first + i) * out.stride;
            for (Index k = 0; k < by.features(); ++k) to[k] = static_cast<T>(from[k]);
            const double left = kept > 0 ? squared_sum(centred.data() + i * d, d) - squared_sum(from, kept) : 0.0;
            out.remainders[(first + i) * out.step] = static_cast<T>(std::sqrt(std::max(left, 0.0)));
          }
        },
        workers.stop);
  });
}

template void turn<float>(const Matrix&, const Turn&, const TurnedRows<float>&, const Workers&);
template void turn<double>(const Matrix&, const Turn&, const TurnedRows<double>&, const Workers&);

}  // namespace mercer
