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
  Sums(const Dense<double>& weights, const Dense<double>& values, const Dense<double>& X, const Dense<double>& Z,
       FeatureSum kind)
      : weights_(weights),
        values_(values),
        X_(X),
        partners_(Z.rows),
        squared_(kind == FeatureSum::squared_distance),
        columns_(Z.cols * Z.rows) {
    for (Index j = 0; j < Z.rows; ++j)
      for (Index k = 0; k < Z.cols; ++k) columns_[k * Z.rows + j] = Z.row(j)[k];
  }

  // out[0] += the values, out[1 + k] += the differences of feature k, of all pairs of row i with the first so many of
  // Z.
  void add_row(Index i, Index partners, double* out) const {
    double weight[together], difference[together];
    for (Index first = 0; first < partners; first += together) {
      const Index count = std::min(together, partners - first);
      const double *w = weights_.row(i) + first, *v = values_.row(i) + first;
      for (Index j = 0; j < count; ++j) weight[j] = w[j] * v[j];
      double total = 0;
      for (Index j = 0; j < count; ++j) total += weight[j];
      out[0] += total;
      for (Index k = 0; k < X_.cols; ++k) {
        const double x = X_.row(i)[k], *z = columns_.data() + k * partners_ + first;
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
  Index partners_;
  bool squared_;
  Buffer<double> columns_;  // of Z, one feature after the other
};

// Of all rows of X, each with its first partners(i) rows of Z.
template <class Partners>
PairSums summed(const Dense<double>& weights, const Dense<double>& values, const Dense<double>& X,
                const Dense<double>& Z, FeatureSum kind, const Workers& workers, const Partners& partners) {
  for (const Dense<double>* matrix : {&weights, &values})
    if (matrix->rows != X.rows || matrix->cols != Z.rows)
      throw std::invalid_argument("expected a weight and a value for each pair of rows");
  if (X.cols != Z.cols) throw std::invalid_argument("expected rows of the same features");
  if (kind == FeatureSum::dot) throw std::invalid_argument("expected a distance to sum");
  const Sums sums(weights, values, X, Z, kind);
  const Index chunks = (X.rows + rows_per_chunk - 1) / rows_per_chunk, size = 1 + X.cols;
  // One result a chunk, added up in their order: the same bits on any number of threads.
  std::vector<double> parts(static_cast<std::size_t>(chunks * size));
  parallel_for(
      chunks, workers.threads,
      [&](Index chunk) {
        const Index first = chunk * rows_per_chunk, last = std::min(first + rows_per_chunk, X.rows);
        for (Index i = first; i < last; ++i) sums.add_row(i, partners(i), parts.data() + chunk * size);
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

}  // namespace

PairSums pair_sums(const Dense<double>& weights, const Dense<double>& values, const Dense<double>& X, FeatureSum kind,
                   const Workers& workers) {
  return summed(weights, values, X, X, kind, workers, [](Index i) { return i; });
}

PairSums cross_sums(const Dense<double>& weights, const Dense<double>& values, const Dense<double>& X,
                    const Dense<double>& Z, FeatureSum kind, const Workers& workers) {
  return summed(weights, values, X, Z, kind, workers, [&Z](Index) { return Z.rows; });
}

}  // namespace mercer
