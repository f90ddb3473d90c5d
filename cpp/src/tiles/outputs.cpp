#include "outputs.hpp"

#include <algorithm>

namespace mercer {

template <class T>
Outputs<T>::Outputs(const std::vector<Segment>& segments, Index outputs, double* out) : outputs_(outputs), out_(out) {
  std::vector<const Segment*> sorted;
  for (const Segment& part : segments)
    if (part.first < part.last) sorted.push_back(&part);
  const auto range = [](const Segment* part) { return std::pair(part->first, part->last); };
  std::ranges::stable_sort(sorted, {}, range);
  for (std::size_t from = 0, to = 0; from < sorted.size(); from = to) {
    while (to < sorted.size() && range(sorted[to]) == range(sorted[from])) ++to;
    groups_.push_back(group_of(std::span(sorted).subspan(from, to - from)));
  }
}

template <class T>
typename Outputs<T>::Group Outputs<T>::group_of(std::span<const Segment* const> segments) {
  Group group{segments.front()->first, segments.front()->last, {}, {}};
  const Index count = group.last - group.first, panels = (std::ssize(segments) + lanes<T> - 1) / lanes<T>;
  group.coef = Buffer<T>(panels * count * lanes<T>);
  std::fill_n(group.coef.data(), group.coef.size(), T(0));
  for (Index s = 0; s < std::ssize(segments); ++s) {
    const Segment& segment = *segments[static_cast<std::size_t>(s)];
    T* values = group.coef.data() + s / lanes<T> * count * lanes<T> + s % lanes<T>;
    for (Index k = 0; k < count; ++k) values[k * lanes<T>] = static_cast<T>(segment.coef[k]);
    group.outputs.push_back(segment.output);
  }
  return group;
}

template <class T>
void Outputs<T>::add(PlacedTile<T>& tile, Totals& part) const {
  alignas(64) T sums[rows_at_once * lanes<T>];
  const T* values = tile.values();
  double* out = part.data() + tile.row() * outputs_;
  for (const Group& group : groups_) {
    const Index from = std::max(group.first, tile.centre()), to = std::min(group.last, tile.centre() + tile.width());
    if (from >= to) continue;
    const auto used = static_cast<Index>(group.outputs.size());
    for (Index p = 0; p * lanes<T> < used; ++p) {
      const PanelBlock<T> block{.A = values + (from - tile.centre()),
                                .A_norms = nullptr,
                                .na = tile.height(),
                                .stride = PlacedTile<T>::stride,
                                .B = group.panel(p, from),
                                .B_norms = nullptr,
                                .panels = 1,
                                .d = to - from};
      ops<T>().products(block, sums, lanes<T>);
      const Index width = std::min(lanes<T>, used - p * lanes<T>);
      for (Index a = 0; a < tile.height(); ++a)
        for (Index o = 0; o < width; ++o)
          out[a * outputs_ + group.outputs[static_cast<std::size_t>(p * lanes<T> + o)]] +=
              static_cast<double>(sums[a * lanes<T> + o]);
    }
  }
}

template class Outputs<float>;
template class Outputs<double>;

}  // namespace mercer
