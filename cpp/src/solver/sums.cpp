#include "sums.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mercer {
namespace {

// How much of the bounds the first rows have.
double share_of(const std::vector<double>& bounds, Index rows) {
  if (rows == length(bounds)) return 1;
  double known = 0, total = 0;
  for (Index i = 0; i < length(bounds); ++i) {
    total += at(bounds, i);
    if (i < rows) known += at(bounds, i);
  }
  return total == 0 || std::isinf(total) ? 0 : known / total;
}

// Adds so much to coefficients of its sign, up to their bounds.
template <class Gain>
bool distribute(State& state, Index rows, double missing, const std::vector<double>& bounds, bool by_gain, Gain gain) {
  std::vector<Index> takers;
  for (Index i = 0; i < rows; ++i)
    if (at(state.coef, i) * missing >= 0 && at(state.coef, i) != at(bounds, i)) takers.push_back(i);
  if (by_gain)
    std::ranges::stable_sort(takers, std::greater<>(), gain);
  else
    std::ranges::reverse(takers);
  for (const Index i : takers) {
    double& coef = at(state.coef, i);
    const double room = at(bounds, i) - coef;
    if (std::abs(room) > std::abs(missing)) {
      coef += missing;
      break;
    }
    coef = at(bounds, i);
    missing -= room;
  }
  return !takers.empty();
}

}  // namespace

bool has_sums(const State& state, const Sums& wanted) {
  const Sums now = sums(state, state.size());
  const double size = std::abs(wanted[0]) + std::abs(wanted[1]);
  return std::abs(now[0] - wanted[0]) + std::abs(now[1] - wanted[1]) <= 1e-9 * size;
}

bool project_to_sums(State& state, Index rows, const Sums& wanted, bool by_gain) {
  const Sums now = sums(state, rows);
  const double up = share_of(state.hi, rows) * wanted[0] - now[0], low = share_of(state.lo, rows) * wanted[1] - now[1];
  bool changed = false;
  if (wanted[0] > 0 && up > 0)
    changed |= distribute(state, rows, up, state.hi, by_gain, [&](Index i) { return state.up_value(i); });
  if (wanted[1] < 0 && low < 0)
    changed |= distribute(state, rows, low, state.lo, by_gain, [&](Index i) { return -state.low_value(i); });
  return changed;
}

}  // namespace mercer
