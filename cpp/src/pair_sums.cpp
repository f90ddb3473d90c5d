#include "mercer/pair_sums.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mercer/buffer.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

constexpr Index rows_per_chunk = 32;
// Pairs of a row that are weighted together: they and the features they need stay in the fast caches.
constexpr Index together = 512;

class Sums {
 public:
  Sums(const Dense<double>& weights, const Dense<double>& values, const Dense<double>& X, FeatureSum kind)
      : weights_(weights),
        values_(values),
        X_(X),
        squared_(kind == FeatureSum::squared_distance),
        columns_(X.cols * X.rows) {
    for (Index i = 0; i < X.rows; ++i)
      for (Index k = 0; k < X.cols; ++k) columns_[k * X.rows + i] = X.row(i)[k];
  }

  // out[0] += the values, out[1 + k] += the differences of feature k, of all pairs of row i with those before it.
  void add_row(Index i, double* out) const {
    double weight[together], difference[together];
    for (Index first = 0; first < i; first += together) {
      const Index count = std::min(together, i - first);
      const double *w = weights_.row(i) + first, *v = values_.row(i) + first;
      for (Index j = 0; j < count; ++j) weight[j] = w[j] * v[j];
      double total = 0;
      for (Index j = 0; j < count; ++j) total += weight[j];
      out[0] += total;
      for (Index k = 0; k < X_.cols; ++k) {
        const double x = X_.row(i)[k], *z = columns_.data() + k * X_.rows + first;
        if (squared_)
          for (Index j = 0; j < count; ++j) difference[j] = (x - z[j]) * (x - z[j]);
        else
          for (Index j = 0; j < count; ++j) difference[j] = std::abs(x - z[j]);
        out[1 + k] += ops<double>().weighted_sum(weight, difference, count);
      }
    }
  }

 private:
  Dense<double> weights_, values_, X_;
  bool squared_;
  Buffer<double> columns_;  // one feature after the other
};

}  // namespace

PairSums pair_sums(const Dense<double>& weights, const Dense<double>& values, const Dense<double>& X, FeatureSum kind,
                   const Workers& workers) {
  for (const Dense<double>* matrix : {&weights, &values})
    if (matrix->rows != X.rows || matrix->cols != X.rows)
      throw std::invalid_argument("expected a weight and a value for each pair of rows");
  if (kind == FeatureSum::dot) throw std::invalid_argument("expected a distance to sum");
  const Sums sums(weights, values, X, kind);
  const Index chunks = (X.rows + rows_per_chunk - 1) / rows_per_chunk, size = 1 + X.cols;
  // One result a chunk, added up in their order: the same bits on any number of threads.
  std::vector<double> parts(static_cast<std::size_t>(chunks * size));
  parallel_for(
      chunks, workers.threads,
      [&](Index chunk) {
        const Index first = chunk * rows_per_chunk, last = std::min(first + rows_per_chunk, X.rows);
        for (Index i = first; i < last; ++i) sums.add_row(i, parts.data() + chunk * size);
      },
      workers.stop);
  PairSums found{0, std::vector<double>(static_cast<std::size_t>(X.cols))};
  for (Index chunk = 0; chunk < chunks; ++chunk) {
    const double* part = parts.data() + chunk * size;
    found.values += part[0];
    for (Index k = 0; k < X.cols; ++k) found.differences[static_cast<std::size_t>(k)] += part[1 + k];
  }
  return found;
}

}  // namespace mercer
