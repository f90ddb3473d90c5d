#include "row_optimum.hpp"

#include <algorithm>

namespace mercer {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

// alpha_m = min(bound_m, (level - B_m) / norm). The level rests on the classes with the largest keys B + norm * bound,
// which are taken one by one; it is no lower than the largest key less norm * C, so that few come into question. Only
// differences of B matter, and they are taken to the largest: norm * C may be next to nothing beside B. It may also be
// huge, so that it is left out of sums in which it cancels.
void RowOptimum::find(double* B, Index y, double C, double norm, double* alpha) {
  double largest = B[0];
  for (Index m = 1; m < classes_; ++m) largest = std::max(largest, B[m]);
  for (Index m = 0; m < classes_; ++m) B[m] -= largest;
  const double own = B[y], least = std::max(-norm * C, own);
  B[y] += norm * C;
  Index count = 0;
  for (Index m = 0; m < classes_; ++m) {
    places_[at(count)] = m;
    count += B[m] >= least;
  }
  double sum = 0, level = least, outside = norm * C;  // which is subtracted until class y is taken
  for (Index taken = 0; taken < count; ++taken) {
    Index next = taken;
    for (Index k = taken + 1; k < count; ++k) next = B[places_[at(k)]] > B[places_[at(next)]] ? k : next;
    std::swap(places_[at(taken)], places_[at(next)]);
    const Index m = places_[at(taken)];
    if (sum - outside >= static_cast<double>(taken) * B[m] && taken > 0) break;
    sum += m == y ? own : B[m];
    if (m == y) outside = 0;
    level = (sum - outside) / static_cast<double>(taken + 1);
  }
  // That of y is what the others leave, so that they add up to zero however they were rounded.
  std::fill_n(alpha, classes_, 0.0);
  double others = 0;
  for (Index k = 0; k < count; ++k) {
    const Index m = places_[at(k)];
    if (m == y) continue;
    alpha[m] = std::clamp((level - B[m]) / norm, -C, 0.0);
    others -= alpha[m];
  }
  if (others > C)
    for (Index m = 0; m < classes_; ++m) alpha[m] *= C / others;
  alpha[y] = std::min(C, others);
}

}  // namespace mercer
