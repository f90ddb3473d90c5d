// Gram values asked of a source outside the core (a Python callable), whole rows at a time.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "mercer/gram.hpp"
#include "mercer/row_cache.hpp"

namespace mercer {
namespace {

template <class T>
class SourcedGram final : public Gram<T> {
 public:
  SourcedGram(RowSource<T> source, Index n, Index cache_bytes)
      : source_(std::move(source)),
        n_(n),
        // An eighth of the budget receives rows here, as much again is the source's own, the rest keeps them.
        batch_(std::max<Index>(1, cache_bytes / 8 / row_bytes())),
        cache_(size(), size(), std::max(2 * row_bytes(), cache_bytes - 3 * batch_ * row_bytes())) {
    batch_ = std::min(batch_, cache_.capacity());
  }

  Index size() const override { return n_; }
  // To ask for it alone could take as long as to ask for all rows.
  void diagonal(double* out) const override { std::fill_n(out, n_, std::numeric_limits<double>::quiet_NaN()); }

  void block(std::span<const Index> rows, T* out, Index ld, Stop& stop) override { values(rows, rows, out, ld, stop); }

  void values(std::span<const Index> rows, std::span<const Index> columns, T* out, Index ld, Stop& stop) override {
    cache_.age();
    for_each_row(rows, stop, [&](std::size_t i, const T* values) {
      T* row = out + static_cast<Index>(i) * ld;
      for (std::size_t j = 0; j < columns.size(); ++j) row[j] = values[columns[j]];
    });
  }

  void add_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                    double* out, Stop& stop) override {
    cache_.age();
    for_each_row(sources, stop, [&](std::size_t j, const T* values) {
      for (std::size_t i = 0; i < targets.size(); ++i) out[i] += coef[j] * static_cast<double>(values[targets[i]]);
    });
  }

  void add_exact_products(std::span<const Index> targets, std::span<const Index> sources, std::span<const double> coef,
                          double* out, Stop& stop) override {
    add_products(targets, sources, coef, out, stop);
  }

 private:
  Index row_bytes() const { return size() * static_cast<Index>(sizeof(T)); }

  // Calls use(position in rows, values over all rows) for rows numbered within all: first those at hand, then the
  // others, batch by batch.
  template <class Use>
  void for_each_row(std::span<const Index> rows, Stop& stop, Use use) {
    std::vector<std::size_t> missing;
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (const T* values = cache_.find(rows[j]))
        use(j, values);
      else
        missing.push_back(j);
    Buffer<T> fetched;
    for (std::size_t first = 0; first < missing.size(); first += static_cast<std::size_t>(batch_)) {
      const std::size_t count = std::min(static_cast<std::size_t>(batch_), missing.size() - first);
      if (fetched.size() == 0) fetched = Buffer<T>(static_cast<Index>(count) * size());
      std::vector<Index> wanted;
      for (std::size_t k = 0; k < count; ++k) wanted.push_back(rows[missing[first + k]]);
      fetch(wanted, fetched.data(), stop);
      for (std::size_t k = 0; k < count; ++k) {
        const T* values = fetched.data() + static_cast<Index>(k) * size();
        use(missing[first + k], values);
        if (T* kept = cache_.insert(wanted[k])) std::copy_n(values, size(), kept);
      }
    }
  }

  void fetch(std::span<const Index> rows, T* out, Stop& stop) {
    const Index all = static_cast<Index>(rows.size()) * size();
    for (Index done = 0; done < all; stop.poll()) {
      const Index more = source_(rows, done, out);
      if (more <= done || more > all) throw std::logic_error("a source of kernel values gave none, or too many");
      done = more;
    }
  }

  RowSource<T> source_;
  Index n_;
  Index batch_;
  RowCache<T> cache_;
};

}  // namespace

template <class T>
std::unique_ptr<Gram<T>> sourced_gram(RowSource<T> source, Index n, Index cache_bytes) {
  return std::make_unique<SourcedGram<T>>(std::move(source), n, cache_bytes);
}

template std::unique_ptr<Gram<double>> sourced_gram(RowSource<double>, Index, Index);

}  // namespace mercer
