#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mercer/neighbours.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

constexpr Index rows_between_polls = 1024;

double squared_after(const Rotated& rows, Index row, Index features) {
  const auto rest = static_cast<double>(rows.remainders[static_cast<std::size_t>(row)]);
  double sum = rest * rest;
  for (Index k = features; k < rows.features.cols; ++k) {
    const auto value = static_cast<double>(rows.features.row(row)[k]);
    sum += value * value;
  }
  return sum;
}

}  // namespace

float norm_after(const Rotated& rows, Index row, Index features) {
  const auto norm = static_cast<float>(std::sqrt(squared_after(rows, row, features)));
  return norm == 0 ? 0 : std::nextafter(norm, std::numeric_limits<float>::infinity());
}

double squared_norm(const Rotated& rows, Index row) { return squared_after(rows, row, 0); }

NeighbourIndex::NeighbourIndex(const Rotated& rows, std::vector<Index> stages, Stop* stop)
    : rows_(rows), stages_(std::move(stages)) {
  const bool are_stages = !stages_.empty() && stages_.front() > 0 && stages_.back() == features() &&
                          std::ranges::adjacent_find(stages_, std::greater_equal<>()) == stages_.end();
  if (!are_stages) throw std::invalid_argument("stages must ascend up to the number of features");
  const Index n = size(), first = stages_.front(), width = panel_features();
  const Index panels = (n + lanes<float> - 1) / lanes<float>;
  panels_ = Buffer<float>(panels * width * lanes<float>);
  std::fill_n(panels_.data(), panels_.size(), 0.0f);
  norms_.resize(static_cast<std::size_t>(n));
  largest_.assign(static_cast<std::size_t>((n + block_rows - 1) / block_rows), 0.0);
  rests_.assign(stages_.size(), std::vector<float>(static_cast<std::size_t>(n)));
  for (Index i = 0; i < n; ++i) {
    if (stop && i % rows_between_polls == 0) stop->poll();
    const float* values = row(i);
    const auto at = static_cast<std::size_t>(i);
    norms_[at] = mercer::squared_norm(rows_, i);
    for (std::size_t s = 0; s < stages_.size(); ++s) rests_[s][at] = norm_after(rows_, i, stages_[s]);
    float* to = panels_.data() + i / lanes<float> * width * lanes<float> + i % lanes<float>;
    for (Index k = 0; k < first; ++k) to[k * lanes<float>] = values[k];
    to[first * lanes<float>] = rests_[0][at];
    to[(first + 1) * lanes<float>] = static_cast<float>(norms_[at]);
    double& largest = largest_[static_cast<std::size_t>(i / block_rows)];
    largest = std::max(largest, std::sqrt(norms_[at]));
  }
}

const float* NeighbourIndex::panel(Index number) const {
  return panels_.data() + number * panel_features() * lanes<float>;
}

}  // namespace mercer
