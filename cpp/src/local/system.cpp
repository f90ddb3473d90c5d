#include "local/system.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/indexing.hpp"

namespace mercer {
namespace {

// Of a matrix with ones on its diagonal. Rounding of 1e-16 in the moments becomes at most 1e-10 in the solution.
constexpr double least_pivot = 1e-6;

}  // namespace

LocalSystem::LocalSystem(Index size_of_system, Index number_of_targets, bool asks_squares)
    : size(size_of_system),
      targets(number_of_targets),
      gram(static_cast<std::size_t>(size * size)),
      sums(static_cast<std::size_t>(size * targets)),
      squares(asks_squares ? gram.size() : 0),
      at(static_cast<std::size_t>(size)),
      scale_(at.size()),
      factor_(gram.size()),
      coef_(at.size()) {}

void LocalSystem::clear() {
  std::ranges::fill(gram, 0.0);
  std::ranges::fill(sums, 0.0);
  std::ranges::fill(squares, 0.0);
}

bool LocalSystem::solve(LocalFit& fit) {
  const Index p = size;
  const auto entry = [p](auto& matrix, Index i, Index j) -> auto& { return mercer::at(matrix, i * p + j); };
  fit.state = LocalState::solved;
  for (Index i = 0; i < p; ++i) {
    const double diagonal = entry(gram, i, i);
    // A feature that no row of the window differs in from the origin has no slope.
    if (diagonal == 0) fit.state = LocalState::ridged;
    mercer::at(scale_, i) = diagonal > 0 ? 1 / std::sqrt(diagonal) : 0;
  }
  for (Index i = 0; i < p; ++i) {
    double* row = &entry(factor_, i, 0);
    for (Index j = 0; j <= i; ++j) {
      double sum = entry(gram, i, j) * mercer::at(scale_, i) * mercer::at(scale_, j);
      const double* above = &entry(factor_, j, 0);
      if (i == j && mercer::at(scale_, i) == 0) sum = 1;
      for (Index k = 0; k < j; ++k) sum -= row[k] * above[k];
      if (i > j) {
        row[j] = sum / above[j];
      } else {
        if (!(sum >= least_pivot)) return false;
        row[j] = std::sqrt(sum);
      }
    }
  }
  for (Index i = 0; i < p; ++i) {
    double sum = mercer::at(at, i) * mercer::at(scale_, i);
    for (Index k = 0; k < i; ++k) sum -= entry(factor_, i, k) * mercer::at(coef_, k);
    mercer::at(coef_, i) = sum / entry(factor_, i, i);
  }
  fit.inverse = 0;
  for (const double z : coef_) fit.inverse += z * z;
  for (Index i = p - 1; i >= 0; --i) {
    double sum = mercer::at(coef_, i);
    for (Index k = i + 1; k < p; ++k) sum -= entry(factor_, k, i) * mercer::at(coef_, k);
    mercer::at(coef_, i) = sum / entry(factor_, i, i);
  }
  for (Index i = 0; i < p; ++i) mercer::at(coef_, i) *= mercer::at(scale_, i);
  for (Index t = 0; t < targets; ++t) {
    double value = 0;
    for (Index i = 0; i < p; ++i) value += mercer::at(sums, t * p + i) * mercer::at(coef_, i);
    mercer::at(fit.values, t) = value;
  }
  fit.squares = 0;
  if (!squares.empty())
    for (Index i = 0; i < p; ++i)
      for (Index j = 0; j <= i; ++j)
        fit.squares += (i == j ? 1 : 2) * entry(squares, i, j) * mercer::at(coef_, i) * mercer::at(coef_, j);
  return true;
}

}  // namespace mercer
