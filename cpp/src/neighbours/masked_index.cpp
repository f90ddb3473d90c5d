#include <algorithm>
#include <cmath>

#include "mercer/indexing.hpp"
#include "mercer/masked_neighbours.hpp"
#include "mercer/simd.hpp"

namespace mercer {

const Index MaskedIndex::lanes_ = lanes<float>;

MaskedIndex::MaskedIndex(const Dense<double>& rows, Stop* stop)
    : rows_(rows), centre_(static_cast<std::size_t>(rows.cols)), with_(static_cast<std::size_t>(rows.cols)) {
  const Index n = rows.rows, d = rows.cols;
  const auto poll_at = [&](Index i) {
    if (stop && i % block_rows == 0) stop->poll();
  };
  for (Index i = 0; i < n; ++i) {
    poll_at(i);
    for (Index k = 0; k < d; ++k)
      if (has(i, k)) {
        // A running mean cannot overflow.
        const auto count = static_cast<double>(++at(with_, k));
        at(centre_, k) += rows.row(i)[k] / count - at(centre_, k) / count;
      }
  }
  double largest = 0;
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < d; ++k) largest = std::max(largest, std::abs(scaled(rows.row(i)[k], k)));
  // A power of two, by which multiplying rounds nothing; zero where values are too large to be screened.
  const double norm = largest * std::sqrt(static_cast<double>(d));
  if (norm > 0) unit_ = std::isfinite(norm) ? std::exp2(-std::ceil(std::log2(norm))) : 0;
  if (!std::isfinite(unit_)) unit_ = 0;

  const Index panels = (n + lanes_ - 1) / lanes_, width = panel_features();
  panels_ = Buffer<float>(panels * width * lanes_);
  std::fill_n(panels_.data(), panels_.size(), 0.0f);
  largest_.assign(static_cast<std::size_t>((n + block_rows - 1) / block_rows), 0.0);
  if (unit_ == 0) return;
  for (Index i = 0; i < n; ++i) {
    poll_at(i);
    float* to = panels_.data() + i / lanes_ * width * lanes_ + i % lanes_;
    double squared = 0;
    for (Index k = 0; k < d; ++k) {
      const double value = scaled(rows.row(i)[k], k);
      to[k * lanes_] = has(i, k) ? 1.0f : 0.0f;
      to[(d + k) * lanes_] = static_cast<float>(value * value);
      to[(2 * d + k) * lanes_] = static_cast<float>(value);
      squared += value * value;
    }
    double& own = at(largest_, i / block_rows);
    own = std::max(own, std::sqrt(squared));
  }
}

bool MaskedIndex::has(Index row, Index feature) const { return !std::isnan(rows_.row(row)[feature]); }

double MaskedIndex::scaled(double value, Index feature) const {
  return std::isnan(value) ? 0 : (value - at(centre_, feature)) * unit_;
}

}  // namespace mercer
