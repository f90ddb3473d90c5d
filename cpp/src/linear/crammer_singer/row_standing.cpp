#include "row_standing.hpp"

#include <algorithm>
#include <limits>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// As large as the largest where two are.
double second_largest(const double* values, Index classes) {
  double first = -infinity, second = -infinity;
  for (Index m = 0; m < classes; ++m) {
    second = std::max(second, std::min(first, values[m]));
    first = std::max(first, values[m]);
  }
  return second;
}

}  // namespace

RowStanding standing_of(const double* values, const double* alpha, Index classes, Index y, double C) {
  double largests[class_lanes], products[class_lanes];
  double lowests[class_lanes];  // of the classes whose variables may grow
  std::ranges::fill(largests, never_largest);
  std::ranges::fill(products, 0.0);
  std::ranges::fill(lowests, infinity);
  for (Index first = 0; first < classes; first += class_lanes)
    for (Index v = 0; v < class_lanes; ++v) {
      const double f = values[first + v], a = alpha[first + v], grows = a < 0 ? f : infinity;
      products[v] += a * f;
      largests[v] = largests[v] < f ? f : largests[v];
      lowests[v] = grows < lowests[v] ? grows : lowests[v];
    }
  const double largest = std::ranges::max(largests);
  const double lowest = std::min(std::ranges::min(lowests), alpha[y] < C ? values[y] : infinity);
  const double loss = C * (largest - values[y]);
  const double gap = loss + ((products[0] + products[1]) + (products[2] + products[3]));
  return {loss, gap, largest > lowest ? largest - lowest : second_largest(values, classes) - lowest};
}

}  // namespace mercer
