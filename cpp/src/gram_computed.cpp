// Gram values computed in tiles from prepared rows.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "mercer/gram.hpp"
#include "mercer/reduce.hpp"

namespace mercer {
namespace {

// Threads take this many active rows at a time in a product.
constexpr Index columns_a_chunk = 512;

template <class T>
class ComputedGram final : public Gram<T> {
 public:
  ComputedGram(const Kernel& kernel, const Matrix& X, std::vector<Index> rows, const GramOptions& options)
      : X_(X),
        unscaled_(kernel),
        frame_(frame_for(kernel, X)),
        kernel_(kernel.rescaled(frame_.scale)),
        layout_(layout_for(kernel, X)),
        rows_(std::move(rows)),
        points_(X, &rows_, frame_, layout_),
        active_(rows_.size()),
        threads_(options.threads),
        // A copy of the active rows stands beside the prepared ones while others rest.
        cache_bytes_(options.cache_bytes - 2 * points_.bytes()),
        cache_(size(), size(), cache_bytes_) {
    std::iota(active_.begin(), active_.end(), Index(0));
    const double bound = kernel_.bound(points_.largest_squared_norm());
    if (!(bound <= static_cast<double>(std::numeric_limits<T>::max())))
      throw std::overflow_error("kernel values overflow");
  }

  Index size() const override { return static_cast<Index>(rows_.size()); }

  void diagonal(double* out) const override {
    for (Index i = 0; i < size(); ++i) out[i] = kernel_.self_value(static_cast<double>(points_.squared_norms()[i]));
  }

  // Fewer rows: the cache keeps what it has of them. More: it starts empty.
  void activate(std::span<const Index> rows) override {
    std::vector<Index> positions;
    if (std::ranges::includes(active_, rows)) {
      for (std::size_t p = 0, k = 0; k < rows.size(); ++p)
        if (active_[p] == rows[k]) positions.push_back(static_cast<Index>(p)), ++k;
      cache_.restrict_to(positions);
    } else {
      const auto n = static_cast<Index>(rows.size());
      cache_ = RowCache<T>(n, n, cache_bytes_);
    }
    active_.assign(rows.begin(), rows.end());
    active_points_ = static_cast<Index>(rows.size()) == size() ? Points<T>() : points_.gather(active_, layout_);
  }

  void block(std::span<const Index> rows, T* out, Stop& stop) override {
    symmetric_block(kernel_, active_points(), rows, out, threads_, &stop);
  }

  void add_product(std::span<const Index> rows, std::span<const double> coef, double* out, Stop& stop) override {
    struct Row {
      T* values;  // where it is kept, or null
      double coef;
      Index query;  // its number among those to compute
    };
    cache_.age();
    std::vector<Row> kept;
    std::vector<Row> wanted;
    std::vector<Index> wanted_rows;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (T* values = cache_.find(rows[j]))
        kept.push_back({values, coef[j], -1});
      else {
        wanted.push_back({nullptr, coef[j], static_cast<Index>(wanted_rows.size())});
        wanted_rows.push_back(rows[j]);
      }
    }
    for (Row& row : wanted) row.values = cache_.insert(wanted_rows[static_cast<std::size_t>(row.query)]);

    const Points<T>& points = active_points();
    const Points<T> queries = points.gather(wanted_rows, query_layout(layout_));
    const Index n = points.size();
    try {
      parallel_for((n + columns_a_chunk - 1) / columns_a_chunk, threads_,
                   [&](Index chunk) {
                     const Index first = chunk * columns_a_chunk, last = std::min(n, first + columns_a_chunk);
                     for (const Row& row : kept)
                       ops<T>().add_scaled(out + first, row.values + first, row.coef, last - first);
                     Tile<T> tile(kernel_, layout_);
                     for (Index a0 = 0; a0 < queries.size(); a0 += tile.max_queries())
                       for (Index b0 = first; b0 < last; b0 += tile.max_centres()) {
                         const Index na = std::min(tile.max_queries(), queries.size() - a0);
                         const Index nb = std::min(tile.max_centres(), last - b0);
                         tile.compute(queries, a0, na, points, b0, nb);
                         for (Index a = 0; a < na; ++a) {
                           const Row& row = wanted[static_cast<std::size_t>(a0 + a)];
                           const Index self = wanted_rows[static_cast<std::size_t>(a0 + a)] - b0;
                           if (self >= 0 && self < nb)
                             tile.row(a)[self] = static_cast<T>(
                                 kernel_.self_value(static_cast<double>(queries.squared_norms()[a0 + a])));
                           ops<T>().add_scaled(out + b0, tile.row(a), row.coef, nb);
                           if (row.values) std::copy_n(tile.row(a), nb, row.values + b0);
                         }
                       }
                   },
                   &stop);
    } catch (...) {
      cache_ = RowCache<T>(n, n, cache_bytes_);  // some rows have a place but no values yet
      throw;
    }
  }

  void exact_product(std::span<const double> coef, double* out, Stop& stop) override {
    const std::vector<double> values = expand(unscaled_, X_, {{rows_, coef}}, threads_, &stop).front();
    std::ranges::copy(values, out);
  }

 private:
  const Points<T>& active_points() const { return active_points_.size() > 0 ? active_points_ : points_; }

  Matrix X_;
  Kernel unscaled_;
  Frame frame_;
  Kernel kernel_;  // on data in the frame
  Layout layout_;
  std::vector<Index> rows_;    // of X
  Points<T> points_;           // of rows_
  std::vector<Index> active_;  // numbers within rows_
  Points<T> active_points_;    // empty where all are active
  int threads_;
  Index cache_bytes_;
  RowCache<T> cache_;
};

}  // namespace

template <class T>
std::unique_ptr<Gram<T>> computed_gram(const Kernel& kernel, const Matrix& X, std::vector<Index> rows,
                                       const GramOptions& options) {
  return std::make_unique<ComputedGram<T>>(kernel, X, std::move(rows), options);
}

template std::unique_ptr<Gram<float>> computed_gram(const Kernel&, const Matrix&, std::vector<Index>,
                                                    const GramOptions&);
template std::unique_ptr<Gram<double>> computed_gram(const Kernel&, const Matrix&, std::vector<Index>,
                                                     const GramOptions&);

}  // namespace mercer
