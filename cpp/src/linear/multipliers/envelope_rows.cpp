#include "envelope_rows.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "linear/rows/shares.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rows so many times farther out than those that move begin, and may rest, at their bounds.
constexpr double uncertain_band = 3;

}  // namespace

EnvelopeRows::EnvelopeRows(const LinearRows& X, const LinearProblem& problem, const Sample& sample, int threads,
                           Stop& stop)
    : X_(X),
      problem_(problem),
      threads_(threads),
      stop_(stop),
      members_(sample.members),
      factor_(sample.factor),
      is_smooth_(!problem.weight.empty() || sample.steepness == 0),
      scale_(is_smooth_ ? 1.0 : sample.steepness / problem.unit),
      active_(size()),
      inactive_(size()) {
  active_.resize(size());
  for_each_share(count_shares(size()), size(), threads_, stop_, [&](std::size_t, Index first, Index last) {
    for (Index k = first; k < last; ++k) put(k, static_cast<std::int32_t>(k));
  });
}

void EnvelopeRows::put(Index k, std::int32_t i) {
  const std::int32_t position = members_[static_cast<std::size_t>(i)];
  const auto at = static_cast<std::size_t>(position);
  double lower = factor_ * problem_.lower[at], upper = factor_ * problem_.upper[at], weight = upper - lower;
  if (!problem_.weight.empty()) {
    weight = factor_ * problem_.weight[at];
  } else if (is_smooth_) {
    weight /= problem_.unit;
    if (lower < 0) lower = -infinity;
    if (upper > 0) upper = infinity;
  }
  active_.number(k) = i;
  active_.position(k) = position;
  active_.slope(k) = problem_.slope[at];
  active_.kink(k) = problem_.kink.empty() ? 0.0 : problem_.kink[at];
  active_.lower(k) = lower;
  active_.upper(k) = upper;
  active_.weight(k) = weight;
  active_.centre(k) = 0;
}

double EnvelopeRows::begin(Index first, Index last, const double* w, bool keeps_centres) {
  const RowList at = active_.positions(first, last);
  X_.dots(at, w, &active_.value(first));
  X_.squared_norms(at, &active_.norm(first));
  double largest_norm = 0;
  for (Index k = first; k < last; ++k) {
    active_.norm(k) = std::sqrt(active_.norm(k));
    largest_norm = std::max(largest_norm, active_.norm(k));
  }
  // Far from where they would move, rows begin at their bounds, and may rest there; others in the middle.
  loss_ops().begin(active_.part(first, last), scale_, !is_smooth_ && !keeps_centres, uncertain_band);
  return largest_norm;
}

void EnvelopeRows::move_block(Index first, Index last, const LossMove& move, RowMoves& found, double* sum) {
  double by[rows_per_block], changes[rows_per_block];
  std::int32_t changed[rows_per_block];
  std::uint8_t events[rows_per_block];
  loss_ops().settle(active_.part(first, last), move, found.totals, found.totals_of_resting, by, events);
  std::size_t count = 0;
  for (Index k = first; k < last; ++k) {
    const std::uint8_t event = events[k - first];
    if (event & sum_changed) changed[count] = active_.position(k), changes[count++] = by[k - first];
    if (event & began_to_move) found.entered.take(active_.position(k), active_.weight(k));
    if (event & ceased_to_move) found.left.take(active_.position(k), active_.weight(k));
    if (event & may_sleep) found.resting.push_back(static_cast<std::int32_t>(k));
  }
  X_.add({changed, count}, changes, sum);
}

RowMoves EnvelopeRows::move(double t, double horizon, bool follows) {
  const Index rows = active_.size(), shares = count_shares(rows);
  const LossMove move{scale_, is_smooth_, t, horizon, follows};
  std::vector<RowMoves> parts(static_cast<std::size_t>(shares));
  RowMoves all;
  all.sums.resize(parts.size());
  for_each_share(shares, rows, threads_, stop_, [&](std::size_t share, Index begin, Index end) {
    all.sums[share].assign(static_cast<std::size_t>(X_.cols()), 0.0);
    for_each_block(begin, end, [&](Index first, Index last) {
      move_block(first, last, move, parts[share], all.sums[share].data());
    });
  });
  for (const RowMoves& part : parts) {
    all.entered.take(part.entered);
    all.left.take(part.left);
    all.resting.insert(all.resting.end(), part.resting.begin(), part.resting.end());
    all.totals.take(part.totals);
    all.totals_of_resting.take(part.totals_of_resting);
  }
  return all;
}

LossSlope EnvelopeRows::slope_along_step(const std::vector<double>& step) {
  const Index rows = active_.size(), shares = count_shares(rows);
  std::vector<LossSlope> sums(static_cast<std::size_t>(shares));
  for_each_share(shares, rows, threads_, stop_, [&](std::size_t share, Index begin, Index end) {
    for_each_block(begin, end, [&](Index first, Index last) {
      X_.dots(active_.positions(first, last), step.data(), &active_.change(first));
      sums[share] = sums[share] + loss_ops().slope(active_.part(first, last), scale_, 1);
    });
  });
  return std::accumulate(sums.begin(), sums.end(), LossSlope{});
}

LossSlope EnvelopeRows::slope_along(double t) {
  const Index rows = active_.size(), shares = count_shares(rows);
  std::vector<LossSlope> sums(static_cast<std::size_t>(shares));
  for_each_share(shares, rows, threads_, stop_, [&](std::size_t share, Index first, Index last) {
    sums[share] = loss_ops().slope(active_.part(first, last), scale_, t);
  });
  return std::accumulate(sums.begin(), sums.end(), LossSlope{});
}

void EnvelopeRows::deactivate(RowList slots) {
  for (const std::int32_t k : slots)
    inactive_.put(active_.number(k), active_.coef(k), active_.norm(k), active_.change(k));
  active_.drop(slots, threads_);
}

void EnvelopeRows::activate(double reach, const std::vector<double>& w, LossStanding& inactive) {
  const std::vector<std::int32_t> due = inactive_.take_due(reach);
  if (due.empty()) return;
  const Index before = active_.size(), count = static_cast<Index>(due.size());
  active_.resize(before + count);
  for (Index k = 0; k < count; ++k) {
    const std::int32_t i = due[static_cast<std::size_t>(k)];
    const Index slot = before + k;
    put(slot, i);
    active_.norm(slot) = inactive_.norm(i);
    active_.coef(slot) = inactive_.coef(i);
    if (!is_smooth_) active_.centre(slot) = inactive_.coef(i);
    inactive.dual -= dual_of(slot);
    inactive.size -= std::abs(inactive_.coef(i));
  }
  for_each_share(count_shares(count), count, threads_, stop_, [&](std::size_t, Index first, Index last) {
    X_.dots(active_.positions(before + first, before + last), w.data(), &active_.value(before + first));
  });
}

double EnvelopeRows::dual_of(Index k) {
  const double coef = active_.coef(k), ridge = is_smooth_ ? 1 / active_.weight(k) : 0.0;
  return active_.slope(k) * coef - active_.kink(k) * std::abs(coef) - 0.5 * ridge * coef * coef;
}

void EnvelopeRows::steepen(double factor) {
  for (Index k = 0; k < active_.size(); ++k) active_.centre(k) = active_.coef(k);
  scale_ *= factor;
}

void EnvelopeRows::set_centres(const std::vector<double>& coef) {
  for (Index k = 0; k < active_.size(); ++k) active_.centre(k) = coef[static_cast<std::size_t>(active_.number(k))];
}

std::vector<double> EnvelopeRows::coefficients() {
  std::vector<double> all = inactive_.coefficients();
  for (Index k = 0; k < active_.size(); ++k) all[static_cast<std::size_t>(active_.number(k))] = active_.coef(k);
  return all;
}

}  // namespace mercer
