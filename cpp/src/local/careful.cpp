#include "local/careful.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/indexing.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

double dot(const double* a, const double* b, Index n) { return ops<double>().weighted_sum(a, b, n); }

}  // namespace

CarefulSystem::CarefulSystem(Index rows, Index size)
    : rows_(rows),
      size_(size),
      stride_(rows + size),
      columns_(static_cast<std::size_t>(stride_ * size)),
      roots_(static_cast<std::size_t>(rows)),
      triangle_(static_cast<std::size_t>(size * size)) {}

bool CarefulSystem::orthogonalise(double least_share) {
  std::ranges::fill(triangle_, 0.0);
  for (Index i = 0; i < size_; ++i) {
    double* own = column(i);
    const double before = dot(own, own, stride_);
    for (int pass = 0; pass < 2; ++pass)
      for (Index k = 0; k < i; ++k) {
        const double part = dot(column(k), own, stride_);
        at(triangle_, k * size_ + i) += part;
        ops<double>().add_scaled(own, column(k), -part, stride_);
      }
    const double squared = dot(own, own, stride_);
    if (!(squared > least_share * before)) return false;
    const double norm = std::sqrt(squared);
    at(triangle_, i * size_ + i) = norm;
    for (Index r = 0; r < stride_; ++r) own[r] /= norm;
  }
  return true;
}

void CarefulSystem::solve(const std::vector<double>& query, const double* targets, const double* noise, double ridge,
                          LocalFit& fit) {
  std::vector<double> z = query;
  for (Index i = 0; i < size_; ++i) {
    const double norm = std::sqrt(dot(column(i), column(i), rows_));
    if (norm == 0) continue;
    for (Index r = 0; r < rows_; ++r) column(i)[r] /= norm;
    at(z, i) /= norm;
  }
  const std::vector<double> given = columns_;
  fit.state = LocalState::solved;
  if (!orthogonalise(ridge)) {
    fit.state = LocalState::ridged;
    columns_ = given;
    for (Index i = 1; i < size_; ++i) column(i)[rows_ + i] = std::sqrt(ridge);
    orthogonalise(0);
  }
  // The query in the orthogonal columns: R' z = phi.
  for (Index i = 0; i < size_; ++i) {
    for (Index k = 0; k < i; ++k) at(z, i) -= at(triangle_, k * size_ + i) * at(z, k);
    at(z, i) /= at(triangle_, i * size_ + i);
  }
  kernel_.assign(static_cast<std::size_t>(rows_), 0.0);
  fit.inverse = 0;
  for (Index i = 0; i < size_; ++i) {
    fit.inverse += at(z, i) * at(z, i);
    ops<double>().add_scaled(kernel_.data(), column(i), at(z, i), rows_);
  }
  for (Index r = 0; r < rows_; ++r) at(kernel_, r) *= at(roots_, r);
  const Index count = length(fit.values);
  std::ranges::fill(fit.values, 0.0);
  fit.squares = 0;
  for (Index r = 0; r < rows_; ++r) {
    for (Index t = 0; t < count; ++t) at(fit.values, t) += at(kernel_, r) * targets[r * count + t];
    fit.squares += at(kernel_, r) * at(kernel_, r) * noise[r];
  }
}

}  // namespace mercer
