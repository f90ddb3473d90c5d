#include <algorithm>
#include <cmath>

#include "chosen_rows.hpp"
#include "mercer/buffer.hpp"
#include "mercer/linear_rows.hpp"

namespace mercer {
namespace {

// Rows that enter the Gram matrix together: their block stays in the nearest caches.
constexpr Index rows_per_panel = 64;
// Sparse rows are asked for so many rows before their turn: lists skip rows, so that the memory cannot guess.
constexpr std::size_t rows_ahead = 8;

template <class View>
class RowsOf final : public LinearRows {
 public:
  explicit RowsOf(const ChosenRows<View>& rows)
      : LinearRows(rows.size(), rows.features(), rows.offsets()), rows_(rows) {}

  void dots(RowList list, const double* w, double* out) const override {
    if constexpr (OneRow::is_dense)
      dense_dots(list, w, out);
    else
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (k + rows_ahead < list.size()) rows_[list[k + rows_ahead]].prefetch();
        out[k] = rows_[list[k]].dot(w);
      }
    if (!rows_.has_offset()) return;
    for (std::size_t k = 0; k < list.size(); ++k) out[k] += rows_.offset() * w[rows_.offset_column(list[k])];
  }

  void add(RowList list, const double* coef, double* v) const override {
    for (std::size_t k = 0; k < list.size(); ++k) {
      rows_[list[k]].add_to(v, coef[k]);
      if (rows_.has_offset()) v[rows_.offset_column(list[k])] += coef[k] * rows_.offset();
    }
  }

  void add_gram(RowList list, const double* weight, double sign, double* G) const override {
    if constexpr (!OneRow::is_dense)
      if (is_thin(list)) return scatter_gram(list, weight, sign, G);
    panel_gram(list, weight, sign, G);
  }

  void add_squares(RowList list, const double* weight, double* out) const override {
    for (std::size_t k = 0; k < list.size(); ++k) {
      rows_[list[k]].each([&](Index j, double x) { out[j] += weight[k] * x * x; });
      if (rows_.has_offset()) out[rows_.offset_column(list[k])] += weight[k] * rows_.offset() * rows_.offset();
    }
  }

  void squared_norms(RowList list, double* out) const override {
    for (std::size_t k = 0; k < list.size(); ++k) {
      double sum = rows_.offset() * rows_.offset();
      rows_[list[k]].each([&](Index, double x) { sum += x * x; });
      out[k] = sum;
    }
  }

  void prefetch(RowList list) const override {
    for (const std::int32_t k : list) rows_[k].prefetch();
  }

 private:
  using OneRow = RowOf<View>;

  void dense_dots(RowList list, const double* w, double* out) const {
    const auto dots = ops<typename OneRow::Value>().dots;
    const typename OneRow::Value* rows[rows_per_panel];
    for (std::size_t first = 0; first < list.size(); first += rows_per_panel) {
      const std::size_t count = std::min<std::size_t>(rows_per_panel, list.size() - first);
      for (std::size_t r = 0; r < count; ++r) rows[r] = rows_[list[first + r]].values;
      dots(rows, static_cast<Index>(count), w, features(), out + first);
    }
  }

  // Whether pairs of entries are so few that going through them one by one beats a dense block.
  bool is_thin(RowList list) const {
    Index entries = 0;
    for (const std::int32_t k : list) entries += rows_[k].count;
    const double entries_per_row =
        static_cast<double>(entries) / static_cast<double>(std::max<std::size_t>(list.size(), 1));
    return 4 * entries_per_row < static_cast<double>(features());
  }

  void scatter_gram(RowList list, const double* weight, double sign, double* G) const {
    const Index n = cols();
    for (std::size_t k = 0; k < list.size(); ++k) {
      const OneRow x = rows_[list[k]];
      const double g = sign * weight[k];
      x.each_pair([&](Index a, Index b, double product) { G[std::max(a, b) * n + std::min(a, b)] += g * product; });
      if (!rows_.has_offset()) continue;
      const Index last = rows_.offset_column(list[k]);
      x.each([&](Index a, double xa) { G[last * n + a] += g * rows_.offset() * xa; });
      G[last * n + last] += g * rows_.offset() * rows_.offset();
    }
  }

  void panel_gram(RowList list, const double* weight, double sign, double* G) const {
    const Index n = cols();
    Buffer<double> panel(rows_per_panel * n);
    for (std::size_t first = 0; first < list.size(); first += rows_per_panel) {
      const Index count = std::min<Index>(rows_per_panel, static_cast<Index>(list.size() - first));
      std::fill_n(panel.data(), count * n, 0.0);
      for (Index r = 0; r < count; ++r) {
        const std::int32_t k = list[first + static_cast<std::size_t>(r)];
        const double root = std::sqrt(weight[first + static_cast<std::size_t>(r)]);
        double* out = panel.data() + r * n;
        rows_[k].each([&](Index j, double x) { out[j] = root * x; });
        if (rows_.has_offset()) out[rows_.offset_column(k)] = root * rows_.offset();
      }
      ops<double>().add_gram(panel.data(), count, n, sign, G);
    }
  }

  ChosenRows<View> rows_;
};

}  // namespace

std::unique_ptr<LinearRows> linear_rows(const Matrix& X, std::span<const Index> rows, OffsetColumns offsets) {
  return std::visit(
      [&](const auto& view) -> std::unique_ptr<LinearRows> {
        return std::make_unique<RowsOf<std::decay_t<decltype(view)>>>(ChosenRows(view, rows, offsets));
      },
      X);
}

}  // namespace mercer
