// A Gram matrix that tells what it is asked, and can be made to stop the solver there.
#pragma once

#include "mercer/gram.hpp"

namespace mercer::test {

enum class Asked { block, values, products, exact_products };

template <class T>
class WatchedGram final : public Gram<T> {
 public:
  // Calls before(what, targets) before every answer.
  using Before = std::function<void(Asked, Index)>;
  WatchedGram(std::unique_ptr<Gram<T>> gram, Before before) : gram_(std::move(gram)), before_(std::move(before)) {}

  Index size() const override { return gram_->size(); }
  void diagonal(double* out) const override { gram_->diagonal(out); }

  void block(std::span<const Index> rows, T* out, Index ld, Stop& stop) override {
    before_(Asked::block, static_cast<Index>(rows.size()));
    gram_->block(rows, out, ld, stop);
  }
  void values(std::span<const Index> rows, std::span<const Index> columns, T* out, Index ld, Stop& stop) override {
    before_(Asked::values, static_cast<Index>(rows.size()));
    gram_->values(rows, columns, out, ld, stop);
  }
  void add_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                    double* out, Stop& stop) override {
    before_(Asked::products, static_cast<Index>(targets.size()));
    gram_->add_products(targets, sources, coef, out, stop);
  }
  void add_exact_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                          double* out, Stop& stop) override {
    before_(Asked::exact_products, static_cast<Index>(targets.size()));
    gram_->add_exact_products(targets, sources, coef, out, stop);
  }

 private:
  std::unique_ptr<Gram<T>> gram_;
  Before before_;
};

}  // namespace mercer::test
