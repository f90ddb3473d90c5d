#include "mercer/problems.hpp"

#include <algorithm>
#include <stdexcept>

namespace mercer {

Problems::Problems(const BoxQp& all, std::span<const Index> starts) : all_(all), starts_(starts) {
  for (const auto* part : {&all.lower, &all.upper, &all.start, &all.kink})
    if (part->size() != all.linear.size() && (part != &all.kink || !part->empty()))
      throw std::invalid_argument("the vectors of the problem differ in length");
  if (!std::ranges::is_sorted(starts) || (!starts.empty() && (starts.front() != 0 || starts.back() > rows())))
    throw std::invalid_argument("the problems do not begin one after the other within the rows");
}

BoxQp Problems::operator[](Index k) const {
  const auto part = [&](std::span<const double> whole) {
    const auto begin = static_cast<std::size_t>(first(k)), size = static_cast<std::size_t>(last(k) - first(k));
    return whole.empty() ? whole : whole.subspan(begin, size);
  };
  return {part(all_.linear), part(all_.lower), part(all_.upper), part(all_.start),
          part(all_.kink),   all_.two_sums,    all_.cold};
}

}  // namespace mercer
