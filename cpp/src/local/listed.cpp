#include "local/listed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/indexing.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

// Rows whose products are summed together, while they are in the cache.
constexpr Index panel_rows = 64;
// Columns of panels come in whole tiles of the loop that sums their products.
constexpr Index columns_in_step = 8;

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

}  // namespace

ListedFit::ListedFit(const CloudTask& task, const LocalModel& model)
    : task_(task),
      model_(model),
      d_(task.rows.cols),
      targets_(task.targets.cols),
      monomials_(d_, model.order),
      padded_((monomials_.count() + targets_ + columns_in_step - 1) / columns_in_step * columns_in_step),
      system_(monomials_.count(), targets_, model.squares),
      panel_(size(panel_rows * padded_)),
      squared_panel_(model.squares ? panel_.size() : 0),
      gram_(size(padded_ * padded_)),
      squared_gram_(model.squares ? gram_.size() : 0) {}

void ListedFit::gather(Index query, std::span<const std::int64_t> rows) {
  const Index m = length(rows);
  columns_.resize(size(d_ * m));
  prior_.resize(size(m));
  weights_.resize(size(m));
  for (Index r = 0; r < m; ++r) {
    const double* row = task_.rows.row(at(rows, r));
    for (Index k = 0; k < d_; ++k) at(columns_, k * m + r) = row[k];
    at(prior_, r) = at(task_.prior, at(rows, r));
  }
  const double* origin = task_.queries.row(query);
  local_ops().weights(model_.window, columns_.data(), m, m, d_, origin, at(task_.inverse_radius, query), prior_.data(),
                      weights_.data());
  chosen_.clear();
  Index count = 0;
  for (Index r = 0; r < m; ++r)
    if (at(weights_, r) > 0) {
      at(weights_, count++) = at(weights_, r);
      chosen_.push_back(at(rows, r));
    }
  weights_.resize(size(count));
  apart_.resize(size(d_ * count));
  double reach = 0;
  for (Index r = 0; r < count; ++r) {
    const double* row = task_.rows.row(at(chosen_, r));
    for (Index k = 0; k < d_; ++k) {
      const double u = row[k] - origin[k];
      at(apart_, r * d_ + k) = u;
      reach = std::max(reach, std::abs(u));
    }
  }
  unit_ = reach > 0 ? 1 / reach : 1;
  for (double& u : apart_) u *= unit_;
}

void ListedFit::sum_moments() {
  const Index p = monomials_.count(), m = length(chosen_);
  std::ranges::fill(gram_, 0.0);
  std::ranges::fill(squared_gram_, 0.0);
  for (Index first = 0; first < m; first += panel_rows) {
    const Index count = std::min(panel_rows, m - first);
    for (Index r = 0; r < count; ++r) {
      double* row = panel_.data() + r * padded_;
      const double weight = at(weights_, first + r), root = std::sqrt(weight);
      monomials_.evaluate(apart_.data() + (first + r) * d_, row);
      const double* targets = task_.targets.row(at(chosen_, first + r));
      for (Index t = 0; t < targets_; ++t) row[p + t] = targets[t];
      if (model_.squares) {
        const double spread = weight * std::sqrt(at(task_.noise, at(chosen_, first + r)));
        for (Index c = 0; c < p; ++c) at(squared_panel_, r * padded_ + c) = spread * row[c];
      }
      for (Index c = 0; c < p + targets_; ++c) row[c] *= root;
    }
    ops<double>().add_gram(panel_.data(), count, padded_, 1.0, gram_.data());
    if (model_.squares) ops<double>().add_gram(squared_panel_.data(), count, padded_, 1.0, squared_gram_.data());
  }
  for (Index i = 0; i < p; ++i)
    for (Index j = 0; j <= i; ++j) {
      at(system_.gram, i * p + j) = at(gram_, i * padded_ + j);
      if (model_.squares) at(system_.squares, i * p + j) = at(squared_gram_, i * padded_ + j);
    }
  for (Index t = 0; t < targets_; ++t)
    for (Index i = 0; i < p; ++i) at(system_.sums, t * p + i) = at(gram_, (p + t) * padded_ + i);
  std::ranges::fill(system_.at, 0.0);
  at(system_.at, 0) = 1;
}

void ListedFit::fit(Index query, std::span<const std::int64_t> rows, LocalFit& out, double* kernel) {
  gather(query, rows);
  if (chosen_.empty()) {
    std::ranges::fill(out.values, std::numeric_limits<double>::quiet_NaN());
    out.inverse = out.squares = std::numeric_limits<double>::quiet_NaN();
    out.state = LocalState::empty;
    return;
  }
  // Fewer rows than monomials do not determine them, and moments would only show that by rounding.
  if (length(chosen_) < monomials_.count()) return fit_carefully(out, kernel);
  sum_moments();
  if (!system_.solve(out)) return fit_carefully(out, kernel);
  if (!kernel) return;
  std::vector<double> values(system_.coef().size());
  for (Index r = 0; r < length(chosen_); ++r) {
    monomials_.evaluate(apart_.data() + r * d_, values.data());
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * system_.coef()[i];
    kernel[at(chosen_, r)] = at(weights_, r) * sum;
  }
}

void ListedFit::fit_carefully(LocalFit& out, double* kernel) const {
  const Index p = monomials_.count(), m = length(chosen_);
  // About their mean, which a query far from all of them is not.
  double total = 0;
  for (const double weight : weights_) total += weight;
  std::vector<double> mean(size(d_), 0.0), u(size(d_)), values(size(p)), targets, noise;
  for (Index r = 0; r < m; ++r)
    for (Index k = 0; k < d_; ++k) at(mean, k) += at(weights_, r) / total * at(apart_, r * d_ + k);
  CarefulSystem system(m, p);
  for (Index r = 0; r < m; ++r) {
    for (Index k = 0; k < d_; ++k) at(u, k) = at(apart_, r * d_ + k) - at(mean, k);
    monomials_.evaluate(u.data(), values.data());
    const double root = std::sqrt(at(weights_, r));
    system.root_weights()[r] = root;
    for (Index i = 0; i < p; ++i) system.column(i)[r] = root * at(values, i);
    const double* row = task_.targets.row(at(chosen_, r));
    targets.insert(targets.end(), row, row + targets_);
    noise.push_back(at(task_.noise, at(chosen_, r)));
  }
  for (Index k = 0; k < d_; ++k) at(u, k) = -at(mean, k);
  monomials_.evaluate(u.data(), values.data());
  system.solve(values, targets.data(), noise.data(), model_.ridge, out);
  if (m == 1 && p > 1) out.state = LocalState::single;
  if (kernel)
    for (Index r = 0; r < m; ++r) kernel[at(chosen_, r)] = at(system.kernel(), r);
}

}  // namespace mercer
