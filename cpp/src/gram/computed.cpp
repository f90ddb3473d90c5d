// Gram values computed in tiles from prepared rows.
#include "mercer/expansion.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernel_block.hpp"

namespace mercer {
namespace {

template <class T>
class ComputedGram final : public Gram<T> {
 public:
  ComputedGram(std::shared_ptr<const Prepared<T>> data, std::vector<Index> rows, int threads)
      : data_(std::move(data)), rows_(std::move(rows)), threads_(threads) {}

  Index size() const override { return static_cast<Index>(rows_.size()); }

  void diagonal(double* out) const override {
    const Kernel& kernel = data_->kernel;
    const bool constant = kernel.translation_invariant();
    const double value = constant ? kernel.self_value(0) : 0;
    for (const Index i : rows_)
      *out++ = constant ? value : kernel.self_value(static_cast<double>(data_->points.squared_norms()[i]));
  }

  void block(std::span<const Index> rows, T* out, Index ld, Stop& stop) override {
    symmetric_block(*data_, std::span<const Index>(of_the_data(rows)), out, ld, {threads_, &stop});
  }

  void values(std::span<const Index> rows, std::span<const Index> columns, T* out, Index ld, Stop& stop) override {
    kernel_block(*data_, std::span<const Index>(of_the_data(rows)), std::span<const Index>(of_the_data(columns)), out,
                 ld, {threads_, &stop});
  }

  void add_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                    double* out, Stop& stop) override {
    mercer::add_products(*data_, std::span<const Index>(of_the_data(targets)),
                         std::span<const Index>(of_the_data(sources)), coef, out, {threads_, &stop});
  }

  void add_exact_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                          double* out, Stop& stop) override {
    const std::vector<Expansion> one{{of_the_data(targets), of_the_data(sources), {coef.begin(), coef.end()}}};
    const auto values = expand<double>(data_->unscaled, data_->frame, data_->X, one, {threads_, &stop});
    for (const double value : values.front()) *out++ += value;
  }

 private:
  std::vector<Index> of_the_data(std::span<const Index> rows) const {
    std::vector<Index> found;
    found.reserve(rows.size());
    for (const Index i : rows) found.push_back(rows_[static_cast<std::size_t>(i)]);
    return found;
  }

  std::shared_ptr<const Prepared<T>> data_;
  std::vector<Index> rows_;  // of the data
  int threads_;
};

}  // namespace

template <class T>
std::unique_ptr<Gram<T>> computed_gram(std::shared_ptr<const Prepared<T>> data, std::vector<Index> rows, int threads) {
  return std::make_unique<ComputedGram<T>>(std::move(data), std::move(rows), threads);
}

template std::unique_ptr<Gram<float>> computed_gram(std::shared_ptr<const Prepared<float>>, std::vector<Index>, int);
template std::unique_ptr<Gram<double>> computed_gram(std::shared_ptr<const Prepared<double>>, std::vector<Index>, int);

}  // namespace mercer
