#include <algorithm>
#include <cmath>

#include "mercer/buffer.hpp"
#include "mercer/linear_rows.hpp"
#include "row.hpp"

namespace mercer {
namespace {

// Rows that enter the Gram matrix together: their block stays in the nearest caches.
constexpr Index rows_a_panel = 64;
// Sparse rows are asked for so many rows before their turn: lists skip rows, so that the memory cannot guess.
constexpr std::size_t rows_ahead = 8;

template <class View>
class RowsOf final : public LinearRows {
 public:
  RowsOf(const View& X, std::span<const Index> rows, OffsetColumns offsets)
      : LinearRows(rows.empty() ? X.rows : static_cast<Index>(rows.size()), X.cols, offsets.count),
        X_(X),
        rows_(rows),
        offsets_(offsets) {}

  void dots(RowList list, const double* w, double* out) const override {
    const double* of_offsets = w + X_.cols;
    if constexpr (Row<View>::is_dense)
      dense_dots(list, w, out);
    else
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (k + rows_ahead < list.size()) row(list[k + rows_ahead]).prefetch();
        out[k] = row(list[k]).dot(w);
      }
    if (offsets_.count == 0) return;
    for (std::size_t k = 0; k < list.size(); ++k) out[k] += offsets_.value * of_offsets[side(list[k])];
  }

  void add(RowList list, const double* coef, double* v) const override {
    double* of_offsets = v + X_.cols;
    for (std::size_t k = 0; k < list.size(); ++k) {
      row(list[k]).add_to(v, coef[k]);
      if (offsets_.count > 0) of_offsets[side(list[k])] += coef[k] * offsets_.value;
    }
  }

  void add_gram(RowList list, const double* weight, double sign, double* G) const override {
    if constexpr (!Row<View>::is_dense)
      if (is_thin(list)) return scatter_gram(list, weight, sign, G);
    panel_gram(list, weight, sign, G);
  }

  void add_squares(RowList list, const double* weight, double* out) const override {
    for (std::size_t k = 0; k < list.size(); ++k) {
      row(list[k]).each([&](Index j, double x) { out[j] += weight[k] * x * x; });
      if (offsets_.count > 0) out[X_.cols + side(list[k])] += weight[k] * offsets_.value * offsets_.value;
    }
  }

  void squared_norms(RowList list, double* out) const override {
    const double of_offset = offsets_.count > 0 ? offsets_.value * offsets_.value : 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      double sum = of_offset;
      row(list[k]).each([&](Index, double x) { sum += x * x; });
      out[k] = sum;
    }
  }

  void prefetch(RowList list) const override {
    for (const std::int32_t k : list) row(k).prefetch();
  }

 private:
  Row<View> row(std::int32_t k) const { return Row<View>(X_, rows_.empty() ? k : rows_[static_cast<std::size_t>(k)]); }
  int side(std::int32_t k) const { return offsets_.side.empty() ? 0 : offsets_.side[static_cast<std::size_t>(k)]; }

  void dense_dots(RowList list, const double* w, double* out) const {
    const auto dots = ops<typename Row<View>::Value>().dots;
    decltype(row(0).values) rows[rows_a_panel];
    for (std::size_t first = 0; first < list.size(); first += rows_a_panel) {
      const std::size_t count = std::min<std::size_t>(rows_a_panel, list.size() - first);
      for (std::size_t r = 0; r < count; ++r) rows[r] = row(list[first + r]).values;
      dots(rows, static_cast<Index>(count), w, X_.cols, out + first);
    }
  }

  // Whether pairs of entries are so few that going through them one by one beats a dense block.
  bool is_thin(RowList list) const {
    Index entries = 0;
    for (const std::int32_t k : list) entries += row(k).count;
    const double a_row = static_cast<double>(entries) / static_cast<double>(std::max<std::size_t>(list.size(), 1));
    return 4 * a_row < static_cast<double>(X_.cols);
  }

  void scatter_gram(RowList list, const double* weight, double sign, double* G) const {
    const Index n = cols();
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Row<View> x = row(list[k]);
      const double g = sign * weight[k];
      x.each_pair([&](Index a, Index b, double product) { G[std::max(a, b) * n + std::min(a, b)] += g * product; });
      if (offsets_.count == 0) continue;
      const Index last = X_.cols + side(list[k]);
      x.each([&](Index a, double xa) { G[last * n + a] += g * offsets_.value * xa; });
      G[last * n + last] += g * offsets_.value * offsets_.value;
    }
  }

  void panel_gram(RowList list, const double* weight, double sign, double* G) const {
    const Index n = cols();
    Buffer<double> panel(rows_a_panel * n);
    for (std::size_t first = 0; first < list.size(); first += rows_a_panel) {
      const Index count = std::min<Index>(rows_a_panel, static_cast<Index>(list.size() - first));
      std::fill_n(panel.data(), count * n, 0.0);
      for (Index r = 0; r < count; ++r) {
        const std::int32_t k = list[first + static_cast<std::size_t>(r)];
        const double root = std::sqrt(weight[first + static_cast<std::size_t>(r)]);
        double* out = panel.data() + r * n;
        row(k).each([&](Index j, double x) { out[j] = root * x; });
        if (offsets_.count > 0) out[X_.cols + side(k)] = root * offsets_.value;
      }
      ops<double>().add_gram(panel.data(), count, n, sign, G);
    }
  }

  View X_;
  std::span<const Index> rows_;
  OffsetColumns offsets_;
};

}  // namespace

std::unique_ptr<LinearRows> linear_rows(const Matrix& X, std::span<const Index> rows, OffsetColumns offsets) {
  return std::visit(
      [&](const auto& view) -> std::unique_ptr<LinearRows> {
        return std::make_unique<RowsOf<std::decay_t<decltype(view)>>>(view, rows, offsets);
      },
      X);
}

}  // namespace mercer
