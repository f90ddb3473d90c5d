// Gram values of a matrix at hand.
#include <algorithm>

#include "mercer/gram.hpp"
#include "mercer/pool.hpp"

namespace mercer {
namespace {

// Threads take this many rows of a product at a time.
constexpr Index rows_a_chunk = 256;

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

  void values(std::span<const Index> rows, std::span<const Index> columns, T* out, Index ld, Stop&) override {
    for (const Index i : rows) {
      for (std::size_t j = 0; j < columns.size(); ++j) out[j] = value(i, columns[j]);
      out += ld;
    }
  }

  void add_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                    double* out, Stop& stop) override {
    const auto n = static_cast<Index>(targets.size());
    parallel_for((n + rows_a_chunk - 1) / rows_a_chunk, threads_,
                 [&](Index chunk) {
                   const Index last = std::min(n, (chunk + 1) * rows_a_chunk);
                   for (Index i = chunk * rows_a_chunk; i < last; ++i) {
                     double sum = 0;
                     for (std::size_t j = 0; j < sources.size(); ++j)
                       sum += coef[j] * static_cast<double>(value(targets[static_cast<std::size_t>(i)], sources[j]));
                     out[i] += sum;
                   }
                 },
                 &stop);
  }

  // The values are what they are.
  void add_exact_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                          double* out, Stop& stop) override {
    add_products(targets, sources, coef, out, stop);
  }

 private:
  T value(Index i, Index j) const {
    return K_.row(rows_[static_cast<std::size_t>(i)])[rows_[static_cast<std::size_t>(j)]];
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
