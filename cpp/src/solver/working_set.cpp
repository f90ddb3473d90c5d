#include "working_set.hpp"

#include <algorithm>
#include <functional>

namespace mercer {
namespace {

// Puts the `count` rows that come first in the order of `before` to the front, sorted.
template <class Before>
void best_first(std::vector<Index>& rows, Index count, Before before) {
  const auto middle = rows.begin() + std::min(count, length(rows));
  std::ranges::partial_sort(rows, middle, before);
}

}  // namespace

std::vector<Index> choose_working_set(const State& state, const std::vector<Index>& previous, Index size) {
  std::vector<bool> chosen(state.coef.size(), false);
  std::vector<Index> set;
  const auto take = [&](Index i) {
    if (at(chosen, i)) return;
    at(chosen, i) = true;
    set.push_back(i);
  };

  const Index kept = std::min(size / 2, size - 2);  // leaves room for the maximal violating pair
  for (const bool free : {true, false})
    for (const Index i : previous)
      if (length(set) < kept && state.free(i) == free) take(i);

  // By how much they violate with the worst partner of their sum; where there is none, they cannot move.
  const Extremes worst = extremes(state);
  const auto up_excess = [&](Index i) { return state.up_value(i) - worst.bottom[state.up_sum(i)]; };
  const auto low_excess = [&](Index i) { return worst.top[state.low_sum(i)] - state.low_value(i); };
  std::vector<Index> up, low;
  for (Index i = 0; i < state.size(); ++i) {
    if (state.up(i)) up.push_back(i);
    if (state.low(i)) low.push_back(i);
  }
  best_first(up, size, [&](Index a, Index b) { return up_excess(a) > up_excess(b); });
  best_first(low, size, [&](Index a, Index b) { return low_excess(a) > low_excess(b); });
  for (std::size_t k = 0; k < std::max(up.size(), low.size()); ++k) {
    if (k < up.size() && length(set) < size) take(up[k]);
    if (k < low.size() && length(set) < size) take(low[k]);
    if (length(set) >= size) break;
  }
  std::ranges::sort(set);
  return set;
}

std::vector<Index> choose_active(const State& state, Index known, const std::vector<bool>& active_before,
                                 const Activation& how) {
  if (known < how.all_below) return counted(0, known);
  struct Newcomer {
    double excess;  // by which it violates
    Index row;
  };
  std::vector<Index> rows;
  std::vector<Newcomer> newcomers;
  Index worst[4] = {-1, -1, -1, -1};  // up and low rows of each sum
  for (Index i = 0; i < known; ++i) {
    double excess = -1e300;
    if (state.up(i)) {
      Index& top = worst[2 * state.up_sum(i)];
      if (top < 0 || state.up_value(i) > state.up_value(top)) top = i;
      excess = std::max(excess, state.up_value(i) - how.pivots[state.up_sum(i)]);
    }
    if (state.low(i)) {
      Index& bottom = worst[2 * state.low_sum(i) + 1];
      if (bottom < 0 || state.low_value(i) < state.low_value(bottom)) bottom = i;
      excess = std::max(excess, how.pivots[state.low_sum(i)] - state.low_value(i));
    }
    const bool free = state.free(i);
    if (!free && excess < -how.margin) continue;
    if (at(active_before, i) || free)
      rows.push_back(i);
    else
      newcomers.push_back({excess, i});
  }
  if (length(newcomers) > how.most_new) {
    std::ranges::nth_element(newcomers, newcomers.begin() + how.most_new, std::ranges::greater(), &Newcomer::excess);
    newcomers.erase(newcomers.begin() + how.most_new, newcomers.end());
  }
  for (const Newcomer& newcomer : newcomers) rows.push_back(newcomer.row);
  for (const Index extreme : worst)
    if (extreme >= 0) rows.push_back(extreme);
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return rows;
}

}  // namespace mercer
