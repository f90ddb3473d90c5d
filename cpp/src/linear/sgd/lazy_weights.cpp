#include "lazy_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

// Below this scale v is that much larger than w, and the average the difference of numbers that are that much larger
// than itself: so many digits are lost. Above it, hardly anyone has to settle.
constexpr double least_scale = 1e-4;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

LazyWeights::LazyWeights(Index functions, Index features, const std::vector<double>& w,
                         const std::vector<double>& average, Index averaged)
    : functions_(functions), features_(features), averaged_(averaged) {
  for (Index k = 0; k < functions; ++k) {
    const double* weights = w.data() + k * (features + 1);
    const double* means = average.data() + k * (features + 1);
    v_.insert(v_.end(), weights, weights + features);
    offset_.push_back(weights[features]);
    average_offset_.push_back(means[features]);
    for (Index j = 0; j < features; ++j) missed_.push_back(-static_cast<double>(averaged) * means[j]);
  }
}

void LazyWeights::values(const LinearRows& X, RowList list, Index function, double* out) const {
  X.dots(list, of(v_, function), out);
  const double offset = offset_[at(function)];
  for (std::size_t k = 0; k < list.size(); ++k) out[k] = scale_ * out[k] + offset;
}

void LazyWeights::add(const LinearRows& X, RowList list, const double* coef, Index function) {
  scaled_coef_.resize(std::max(scaled_coef_.size(), list.size()));
  const auto add_times = [&](double factor, std::vector<double>& to) {
    for (std::size_t k = 0; k < list.size(); ++k) scaled_coef_[k] = factor * coef[k];
    X.add(list, scaled_coef_.data(), of(to, function));
  };
  add_times(1 / scale_, v_);
  if (past_ != 0) add_times(past_ / scale_, missed_);
}

void LazyWeights::shrink(double factor) {
  scale_ *= factor;
  if (scale_ < least_scale) settle();
}

// Makes the scale one.
void LazyWeights::settle() {
  for (std::size_t j = 0; j < v_.size(); ++j) {
    missed_[j] -= past_ * v_[j];
    v_[j] *= scale_;
  }
  scale_ = 1;
  past_ = 0;
}

void LazyWeights::truncate(double amount) {
  const double threshold = amount / scale_;
  for (std::size_t j = 0; j < v_.size(); ++j) {
    const double kept = std::copysign(std::max(0.0, std::abs(v_[j]) - threshold), v_[j]);
    missed_[j] += past_ * (kept - v_[j]);
    v_[j] = kept;
  }
}

void LazyWeights::remember() {
  past_ += scale_;
  ++averaged_;
  for (std::size_t k = 0; k < offset_.size(); ++k)
    average_offset_[k] += (offset_[k] - average_offset_[k]) / static_cast<double>(averaged_);
}

std::vector<double> LazyWeights::current() const {
  std::vector<double> w;
  for (Index k = 0; k < functions_; ++k) {
    for (Index j = 0; j < features_; ++j) w.push_back(scale_ * of(v_, k)[j]);
    w.push_back(offset_[at(k)]);
  }
  return w;
}

std::vector<double> LazyWeights::average() const {
  const double share = averaged_ > 0 ? 1 / static_cast<double>(averaged_) : 0;
  std::vector<double> w;
  for (Index k = 0; k < functions_; ++k) {
    for (Index j = 0; j < features_; ++j) w.push_back(share * (past_ * of(v_, k)[j] - of(missed_, k)[j]));
    w.push_back(average_offset_[at(k)]);
  }
  return w;
}

bool LazyWeights::is_finite() const {
  const auto finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
  };
  return finite(v_) && finite(missed_) && finite(offset_) && finite(average_offset_);
}

double LazyWeights::squared_norm() const {
  return scale_ * scale_ * std::inner_product(v_.begin(), v_.end(), v_.begin(), 0.0);
}

double LazyWeights::absolute_sum() const {
  return scale_ * std::accumulate(v_.begin(), v_.end(), 0.0, [](double sum, double x) { return sum + std::abs(x); });
}

}  // namespace mercer
