#include "mercer/standing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What one sum of one problem gathers.
struct Gathered {
  double least = -infinity, largest = infinity, sum = 0, wanted = 0, free_total = 0;
  Index free = 0;

  double best() const {
    if (free > 0) return free_total / static_cast<double>(free);
    // One side is open where all rows are at the same bound.
    const double low = std::isinf(least) ? largest : least, high = std::isinf(largest) ? least : largest;
    return std::isinf(low) ? 0 : 0.5 * low + 0.5 * high;
  }
};

}  // namespace

Standing standing(const Point& point) {
  const std::size_t problems = point.starts.size(), sums = point.two_sums ? 2 : 1;
  Standing found;
  for (auto* field : {&found.least, &found.largest, &found.best}) field->resize(sums * problems);
  found.size.assign(problems, 0.0);
  found.inside = true;
  found.imbalance = found.largest_slope = found.largest_bound = 0;
  for (std::size_t p = 0; p < problems; ++p) {
    Gathered gathered[2];
    const auto first = static_cast<std::size_t>(point.starts[p]);
    const std::size_t last = p + 1 < problems ? static_cast<std::size_t>(point.starts[p + 1]) : point.coef.size();
    for (std::size_t i = first; i < last; ++i) {
      const double c = point.coef[i], value = point.slope[i] - point.products[i];
      const double kink = point.kink.empty() ? 0 : point.kink[i];
      const bool up = c<point.upper[i] * (1 - point.at_bound), low = c> point.lower[i] * (1 - point.at_bound);
      const double gain_up = c < 0 ? value + kink : value - kink, gain_low = c > 0 ? value - kink : value + kink;
      Gathered& above = gathered[point.two_sums && c < 0];
      Gathered& below = gathered[point.two_sums && c <= 0];
      if (up) above.least = std::max(above.least, gain_up);
      if (low) below.largest = std::min(below.largest, gain_low);
      if (up && low && (c != 0 || (!point.two_sums && kink == 0))) {
        above.free_total += gain_up;
        ++above.free;
      }
      above.sum += c;
      gathered[point.two_sums && point.start[i] < 0].wanted += point.start[i];
      found.size[p] += std::abs(c);
      found.largest_slope = std::max(found.largest_slope, std::abs(point.slope[i]));
      found.largest_bound = std::max({found.largest_bound, point.upper[i], -point.lower[i]});
      found.inside &= c >= point.lower[i] && c <= point.upper[i];
    }
    for (std::size_t s = 0; s < sums; ++s) {
      found.least[s * problems + p] = gathered[s].least;
      found.largest[s * problems + p] = gathered[s].largest;
      found.best[s * problems + p] = gathered[s].best();
      found.imbalance = std::max(found.imbalance, std::abs(gathered[s].sum - gathered[s].wanted));
    }
  }
  return found;
}

}  // namespace mercer
