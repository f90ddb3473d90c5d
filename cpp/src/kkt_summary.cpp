#include "mercer/kkt_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mercer/indexing.hpp"

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

KktSummary summarise_kkt(const Point& point) {
  const BoxQp& qp = point.problems.all();
  if (length(point.coef) != point.problems.rows() || length(point.products) != point.problems.rows())
    throw std::invalid_argument("the vectors of the problem differ in length");
  const auto problems = static_cast<std::size_t>(point.problems.count());
  const std::size_t sums = qp.two_sums ? 2 : 1;
  KktSummary found;
  for (auto* field : {&found.least, &found.largest, &found.best}) field->resize(sums * problems);
  found.size.assign(problems, 0.0);
  found.inside = true;
  found.imbalance = found.largest_linear = found.largest_bound = 0;
  for (std::size_t p = 0; p < problems; ++p) {
    Gathered gathered[2];
    const auto first = static_cast<std::size_t>(point.problems.first(static_cast<Index>(p)));
    const auto last = static_cast<std::size_t>(point.problems.last(static_cast<Index>(p)));
    for (std::size_t i = first; i < last; ++i) {
      const double c = point.coef[i], value = qp.linear[i] - point.products[i];
      const double kink = qp.kink.empty() ? 0 : qp.kink[i];
      const bool up = c<qp.upper[i] * (1 - point.at_bound), low = c> qp.lower[i] * (1 - point.at_bound);
      const double gain_up = c < 0 ? value + kink : value - kink, gain_low = c > 0 ? value - kink : value + kink;
      Gathered& above = gathered[qp.two_sums && c < 0];
      Gathered& below = gathered[qp.two_sums && c <= 0];
      if (up) above.least = std::max(above.least, gain_up);
      if (low) below.largest = std::min(below.largest, gain_low);
      if (up && low && (c != 0 || (!qp.two_sums && kink == 0))) {
        above.free_total += gain_up;
        ++above.free;
      }
      above.sum += c;
      gathered[qp.two_sums && qp.start[i] < 0].wanted += qp.start[i];
      found.size[p] += std::abs(c);
      found.largest_linear = std::max(found.largest_linear, std::abs(qp.linear[i]));
      found.largest_bound = std::max({found.largest_bound, qp.upper[i], -qp.lower[i]});
      found.inside &= c >= qp.lower[i] && c <= qp.upper[i];
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
