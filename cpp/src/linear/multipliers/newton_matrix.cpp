#include "newton_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/rows/shares.hpp"
#include "mercer/cholesky.hpp"
#include "mercer/pool.hpp"

namespace mercer {
namespace {

// The Gram matrices of all shares together have no more numbers, but for two of them.
constexpr Index most_numbers = 4'000'000;
// A share of fewer rows for each column would spend its time on clearing and adding up.
constexpr Index rows_per_column = 8;
// Numbers of a Gram matrix that a thread adds up at once.
constexpr Index numbers_per_part = 16'384;
// Differences leave the rounding of the largest sum behind, so that one which has lost so many rows is summed anew.
constexpr Index least_left_of_ten = 3;
constexpr double least_damping = 1e-9;
constexpr double most_damping = 1.0;
constexpr double short_step = 0.3;
// What is added to the diagonal, as a share of its largest number, where there is no factor: first, then so many times
// more.
constexpr double first_ridge = 1e-14;
constexpr double ridge_growth = 100;

Buffer<double> zeros(Index size) {
  Buffer<double> found(size);
  std::fill_n(found.data(), size, 0.0);
  return found;
}

}  // namespace

NewtonMatrix::NewtonMatrix(const LinearRows& X, Index rows, int threads, Stop& stop)
    : X_(X),
      rows_(rows),
      threads_(threads),
      stop_(stop),
      gram_(X.cols() * X.cols()),
      earlier_gram_(zeros(X.cols() * X.cols())) {}

Index NewtonMatrix::count_shares(Index rows) const {
  const Index most = std::clamp<Index>(most_numbers / gram_.size(), 2, most_shares);
  return mercer::count_shares(rows, std::max(rows_per_share, rows_per_column * X_.cols()), most);
}

Buffer<double> NewtonMatrix::empty_share() const { return zeros(gram_.size()); }

void NewtonMatrix::assemble(const std::vector<Buffer<double>>& shares, Index between, std::vector<double> squares) {
  between_ = most_between_ = between;
  squares_ = std::move(squares);
  std::fill_n(gram_.data(), gram_.size(), 0.0);
  add_up(shares);
}

void NewtonMatrix::update(const WeightedRows& entered, const WeightedRows& left,
                          const std::function<WeightedRows()>& between) {
  between_ += entered.size() - left.size();
  most_between_ = std::max(most_between_, between_);
  if (entered.size() + left.size() <= between_ && 10 * between_ >= least_left_of_ten * most_between_) {
    add(entered, 1.0);
    add(left, -1.0);
    return;
  }
  const WeightedRows all = between();
  between_ = most_between_ = all.size();
  std::fill_n(gram_.data(), gram_.size(), 0.0);
  add(all, 1.0);
}

void NewtonMatrix::add(const WeightedRows& rows, double sign) {
  if (rows.size() == 0) return;
  const Index shares = count_shares(rows.size());
  if (shares == 1) return X_.add_gram(rows.positions, rows.weights.data(), sign, gram_.data());
  std::vector<Buffer<double>> grams(static_cast<std::size_t>(shares));
  for_each_share(shares, rows.size(), threads_, stop_, [&](std::size_t share, Index first, Index last) {
    grams[share] = empty_share();
    const RowList part(rows.positions.data() + first, static_cast<std::size_t>(last - first));
    X_.add_gram(part, rows.weights.data() + first, sign, grams[share].data());
  });
  add_up(grams);
}

void NewtonMatrix::add_up(const std::vector<Buffer<double>>& shares) {
  const Index parts = std::max<Index>(1, gram_.size() / numbers_per_part);
  parallel_for(parts, threads_, [&](Index part) {
    const Index first = gram_.size() * part / parts, last = gram_.size() * (part + 1) / parts;
    for (const Buffer<double>& share : shares)
      for (Index e = first; e < last; ++e) gram_[e] += share[e];
  });
}

double NewtonMatrix::follow(const std::vector<double>& step, double length, std::vector<double>& v) const {
  const Index n = X_.cols();
  double trace = 0, reach = 0;
  for (Index a = 0; a < n; ++a) {
    const double square = std::max(gram_[a * (n + 1)], 0.0);
    trace += square;
    reach += std::sqrt(square) * std::abs(step[static_cast<std::size_t>(a)]);
  }
  for (Index a = 0; a < n; ++a) {
    const double* own = gram_.data() + a * n;
    double sum = own[a] * step[static_cast<std::size_t>(a)];
    const double by = length * step[static_cast<std::size_t>(a)];
    for (Index b = 0; b < a; ++b) {
      sum += own[b] * step[static_cast<std::size_t>(b)];
      v[static_cast<std::size_t>(b)] -= by * own[b];
    }
    v[static_cast<std::size_t>(a)] -= length * sum;
  }
  return std::numeric_limits<double>::epsilon() * length * std::sqrt(trace) * reach;
}

void NewtonMatrix::damp_with(const NewtonMatrix& other) {
  std::copy_n(other.gram_.data(), gram_.size(), earlier_gram_.data());
  const double share = static_cast<double>(other.between_) / static_cast<double>(other.rows_);
  for (std::size_t j = 0; j < squares_.size(); ++j) {
    double& own = earlier_gram_[static_cast<Index>(j * (width() + 1))];
    own = std::max(own, share * squares_[j]);
  }
}

void NewtonMatrix::adapt_damping(double length) {
  const double factor = length == 1 ? 0.1 : length < short_step ? 10 : 1;
  damping_ = std::clamp(factor * damping_, least_damping, most_damping);
}

std::vector<double> NewtonMatrix::step(const std::vector<double>& gradient, double scale,
                                       const SquaredPenalty& penalty) const {
  std::vector<double> step(width());
  for (double ridge = 0; ridge < 1; ridge = ridge == 0 ? first_ridge : ridge * ridge_growth) {
    for (std::size_t j = 0; j < width(); ++j) step[j] = -gradient[j];
    if (solve(step, scale, penalty, ridge)) return step;
  }
  return std::vector<double>(width(), 0.0);
}

bool NewtonMatrix::solve(std::vector<double>& step, double scale, const SquaredPenalty& penalty, double ridge) const {
  const Index n = X_.cols();
  Buffer<double> system(n * n);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b <= a; ++b) system[a * n + b] = scale * (gram_[a * n + b] + damping_ * earlier_gram_[a * n + b]);
  double largest = 1;
  for (Index a = 0; a < n; ++a) largest = std::max(largest, system[a * n + a]);
  for (Index a = 0; a < n; ++a) system[a * n + a] += penalty.curvature(a) + ridge * largest;
  if (!cholesky(system.data(), n)) return false;
  cholesky_solve(system.data(), n, step.data(), 1);
  return std::ranges::all_of(step, [](double x) { return std::isfinite(x); });
}

}  // namespace mercer
