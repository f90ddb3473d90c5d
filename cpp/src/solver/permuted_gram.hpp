// A Gram matrix with its rows in another order, so that nobody behind it need know of the order.
#pragma once

#include "mercer/gram.hpp"
#include "mercer/indexing.hpp"

namespace mercer {

template <class T>
class PermutedGram final : public Gram<T> {
 public:
  // Row i is row order[i] of `gram`. Both outlive it.
  PermutedGram(Gram<T>& gram, const std::vector<Index>& order) : gram_(gram), order_(order) {}

  Index size() const override { return gram_.size(); }

  void diagonal(double* out) const override {
    std::vector<double> given(order_.size());
    gram_.diagonal(given.data());
    for (const Index i : order_) *out++ = at(given, i);
  }

  void block(std::span<const Index> rows, T* out, Index ld, Stop& stop) override {
    gram_.block(in_gram(rows), out, ld, stop);
  }
  void values(std::span<const Index> rows, std::span<const Index> columns, T* out, Index ld, Stop& stop) override {
    gram_.values(in_gram(rows), in_gram(columns), out, ld, stop);
  }
  void add_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                    double* out, Stop& stop) override {
    gram_.add_products(in_gram(targets), in_gram(sources), coef, out, stop);
  }
  void add_exact_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                          double* out, Stop& stop) override {
    gram_.add_exact_products(in_gram(targets), in_gram(sources), coef, out, stop);
  }

 private:
  std::vector<Index> in_gram(std::span<const Index> rows) const {
    std::vector<Index> found;
    found.reserve(rows.size());
    for (const Index i : rows) found.push_back(at(order_, i));
    return found;
  }

  Gram<T>& gram_;
  const std::vector<Index>& order_;
};

}  // namespace mercer
