#include "mercer/problems.hpp"

#include <algorithm>
#include <stdexcept>

namespace mercer {

Problems::Problems(const BoxQp& all, std::span<const Index> starts, std::span<const Index> held_out)
    : all_(all), starts_(starts), held_out_(held_out) {
  for (const auto* part : {&all.lower, &all.upper, &all.start, &all.kink})
    if (part->size() != all.linear.size() && (part != &all.kink || !part->empty()))
      throw std::invalid_argument("the vectors of the problem differ in length");
  if (!std::ranges::is_sorted(starts) || (!starts.empty() && (starts.front() != 0 || starts.back() > rows())))
    throw std::invalid_argument("the problems do not begin one after the other within the rows");
  if (!held_out.empty() && held_out.size() != starts.size())
    throw std::invalid_argument("there must be a number of rows to hold out for each problem, or none at all");
  for (Index k = 0; k < static_cast<Index>(held_out.size()); ++k)
    if (const Index some = held_out[static_cast<std::size_t>(k)]; some < 0 || some > last(k) - first(k))
      throw std::invalid_argument("a problem cannot hold out more rows than it has");
}

BoxQp Problems::operator[](Index k) const {
  const auto part = [&](std::span<const double> whole) {
    const auto begin = static_cast<std::size_t>(first(k)), size = static_cast<std::size_t>(last(k) - first(k));
    return whole.empty() ? whole : whole.subspan(begin, size);
  };
  return {part(all_.linear), part(all_.lower),
          part(all_.upper),  part(all_.start),
          part(all_.kink),   all_.two_sums,
          all_.cold,         held_out_.empty() ? 0 : held_out_[static_cast<std::size_t>(k)]};
}

}  // namespace mercer
