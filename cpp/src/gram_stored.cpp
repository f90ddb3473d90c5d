// Gram values of a matrix at hand.
#include <algorithm>
#include <numeric>

#include "mercer/gram.hpp"
#include "mercer/pool.hpp"

namespace mercer {
namespace {

// Threads take this many rows of a product at a time.
constexpr Index rows_a_chunk = 256;

template <class T>
class StoredGram final : public Gram<T> {
 public:
  StoredGram(const Dense<T>& K, std::vector<Index> rows, const GramOptions& options)
      : K_(K), rows_(std::move(rows)), active_(rows_), threads_(options.threads) {}

  Index size() const override { return static_cast<Index>(rows_.size()); }

  void diagonal(double* out) const override {
    for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = static_cast<double>(K_.row(rows_[i])[rows_[i]]);
  }

  void activate(std::span<const Index> rows) override {
    active_.resize(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) active_[k] = rows_[static_cast<std::size_t>(rows[k])];
  }

  void block(std::span<const Index> rows, T* out, Stop&) override {
    for (const Index i : rows)
      for (const Index j : rows) *out++ = value(active_, i, active_, j);
  }

  void add_product(std::span<const Index> rows, std::span<const double> coef, double* out, Stop& stop) override {
    product(active_, active_, rows, coef, out, stop);
  }

  void exact_product(std::span<const double> coef, double* out, Stop& stop) override {
    std::vector<Index> support;
    std::vector<double> weights;
    for (std::size_t j = 0; j < coef.size(); ++j)
      if (coef[j] != 0) {
        support.push_back(static_cast<Index>(j));
        weights.push_back(coef[j]);
      }
    std::fill_n(out, rows_.size(), 0.0);
    product(rows_, rows_, support, weights, out, stop);
  }

 private:
  T value(const std::vector<Index>& left, Index i, const std::vector<Index>& right, Index j) const {
    return K_.row(left[static_cast<std::size_t>(i)])[right[static_cast<std::size_t>(j)]];
  }

  // out[i] += sum_j K[targets[i], sources[rows[j]]] coef[j]
  void product(const std::vector<Index>& targets, const std::vector<Index>& sources, std::span<const Index> rows,
               std::span<const double> coef, double* out, Stop& stop) const {
    const auto n = static_cast<Index>(targets.size());
    parallel_for((n + rows_a_chunk - 1) / rows_a_chunk, threads_,
                 [&](Index chunk) {
                   const Index last = std::min(n, (chunk + 1) * rows_a_chunk);
                   for (Index i = chunk * rows_a_chunk; i < last; ++i) {
                     double sum = 0;
                     for (std::size_t j = 0; j < rows.size(); ++j)
                       sum += coef[j] * static_cast<double>(value(targets, i, sources, rows[j]));
                     out[i] += sum;
                   }
                 },
                 &stop);
  }

  Dense<T> K_;
  std::vector<Index> rows_;
  std::vector<Index> active_;
  int threads_;
};

}  // namespace

template <class T>
std::unique_ptr<Gram<T>> stored_gram(const Dense<T>& K, std::vector<Index> rows, const GramOptions& options) {
  return std::make_unique<StoredGram<T>>(K, std::move(rows), options);
}

template std::unique_ptr<Gram<float>> stored_gram(const Dense<float>&, std::vector<Index>, const GramOptions&);
template std::unique_ptr<Gram<double>> stored_gram(const Dense<double>&, std::vector<Index>, const GramOptions&);

}  // namespace mercer
