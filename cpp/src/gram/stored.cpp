// Gram values of a matrix at hand.
#include <algorithm>

#include "mercer/gram.hpp"
#include "mercer/pool.hpp"

namespace mercer {
namespace {

// Threads take this many rows at a time: some ten microseconds of work where columns are few.
constexpr Index rows_per_chunk = 32;

// Sums of several rows run side by side, each in the order of its terms: an addition takes four cycles, and values come
// from all over a row, so that one sum alone would wait for both.
constexpr Index rows_together = 8;
static_assert(rows_per_chunk % rows_together == 0);

// out[r] += sum_j coef[j] rows[r][columns[j]].
template <Index count, class T>
void add_sums(const T* const* rows, std::span<const Index> columns, std::span<const double> coef, double* out) {
  double sums[count] = {};
  for (std::size_t j = 0; j < columns.size(); ++j)
#pragma GCC unroll 8
    for (Index r = 0; r < count; ++r) sums[r] += coef[j] * static_cast<double>(rows[r][columns[j]]);
  for (Index r = 0; r < count; ++r) out[r] += sums[r];
}

template <class T>
class StoredGram final : public Gram<T> {
 public:
  StoredGram(const Dense<T>& K, std::vector<Index> rows, int threads)
      : K_(K), rows_(std::move(rows)), threads_(threads) {}

  Index size() const override { return static_cast<Index>(rows_.size()); }

  void diagonal(double* out) const override {
    for (const Index i : rows_) *out++ = static_cast<double>(K_.row(i)[i]);
  }

  void block(std::span<const Index> rows, T* out, Index ld, Stop& stop) override { values(rows, rows, out, ld, stop); }

  void values(std::span<const Index> rows, std::span<const Index> columns, T* out, Index ld, Stop& stop) override {
    const std::vector<Index> stored = of_the_matrix(columns);
    for_each_chunk(rows, stop, [&](Index first, std::span<const T* const> chunk) {
      T* to = out + first * ld;
      for (const T* row : chunk) {
        for (std::size_t j = 0; j < stored.size(); ++j) to[j] = row[stored[j]];
        to += ld;
      }
    });
  }

  void add_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                    double* out, Stop& stop) override {
    const std::vector<Index> stored = of_the_matrix(sources);
    for_each_chunk(targets, stop, [&](Index first, std::span<const T* const> chunk) {
      const Index count = std::ssize(chunk);
      Index r = 0;
      for (; r + rows_together <= count; r += rows_together)
        add_sums<rows_together>(chunk.data() + r, stored, coef, out + first + r);
      for (; r < count; ++r) add_sums<1>(chunk.data() + r, stored, coef, out + first + r);
    });
  }

  // The values are what they are.
  void add_exact_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                          double* out, Stop& stop) override {
    add_products(targets, sources, coef, out, stop);
  }

 private:
  std::vector<Index> of_the_matrix(std::span<const Index> rows) const {
    std::vector<Index> found;
    found.reserve(rows.size());
    for (const Index i : rows) found.push_back(rows_[static_cast<std::size_t>(i)]);
    return found;
  }

  // Calls use(number of the first, the rows of the matrix) for the given rows.
  template <class Use>
  void for_each_chunk(std::span<const Index> rows, Stop& stop, Use use) const {
    const Index n = std::ssize(rows);
    parallel_for((n + rows_per_chunk - 1) / rows_per_chunk, threads_,
                 [&](Index chunk) {
                   const Index first = chunk * rows_per_chunk, count = std::min(rows_per_chunk, n - first);
                   const T* found[rows_per_chunk];
                   for (Index r = 0; r < count; ++r)
                     found[r] = K_.row(rows_[static_cast<std::size_t>(rows[static_cast<std::size_t>(first + r)])]);
                   use(first, std::span<const T* const>(found, static_cast<std::size_t>(count)));
                 },
                 &stop);
  }

  Dense<T> K_;
  std::vector<Index> rows_;
  int threads_;
};

}  // namespace

template <class T>
std::unique_ptr<Gram<T>> stored_gram(const Dense<T>& K, std::vector<Index> rows, int threads) {
  return std::make_unique<StoredGram<T>>(K, std::move(rows), threads);
}

template std::unique_ptr<Gram<float>> stored_gram(const Dense<float>&, std::vector<Index>, int);
template std::unique_ptr<Gram<double>> stored_gram(const Dense<double>&, std::vector<Index>, int);

}  // namespace mercer
