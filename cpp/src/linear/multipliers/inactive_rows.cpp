#include "inactive_rows.hpp"

#include <algorithm>
#include <limits>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// How many times the reach asked for rows are looked for that might be due.
constexpr double reaches_ahead = 4;

}  // namespace

InactiveRows::InactiveRows(Index count) : coef_(count), norm_(count), rests_until_(count) {
  std::fill_n(rests_until_.data(), count, -infinity);
}

void InactiveRows::put(std::int32_t i, double coef, double norm, double slack) {
  coef_[i] = coef;
  norm_[i] = norm;
  rests_until_[i] = norm > 0 ? path_ + slack / norm : infinity;
  if (rests_until_[i] <= looked_ahead_) recheck_.push_back(i);
}

std::vector<std::int32_t> InactiveRows::take_due(double reach) {
  const double until = path_ + reach;
  if (until > looked_ahead_) look_ahead(reach);
  const auto due = std::ranges::stable_partition(recheck_, [&](std::int32_t i) { return rests_until_[i] > until; });
  std::vector<std::int32_t> taken(due.begin(), due.end());
  recheck_.resize(recheck_.size() - taken.size());
  for (const std::int32_t i : taken) rests_until_[i] = -infinity;
  return taken;
}

void InactiveRows::look_ahead(double reach) {
  looked_ahead_ = path_ + reaches_ahead * reach;
  recheck_.clear();
  for (Index i = 0; i < rests_until_.size(); ++i)
    if (rests_until_[i] >= 0 && rests_until_[i] <= looked_ahead_) recheck_.push_back(static_cast<std::int32_t>(i));
}

}  // namespace mercer
