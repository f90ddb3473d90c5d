// What a search has found so far, and how it is handed over.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "mercer/indexing.hpp"
#include "mercer/neighbours.hpp"

namespace mercer {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Neighbour {
  double squared;
  Index row;
  bool operator<(const Neighbour& other) const {
    return squared < other.squared || (squared == other.squared && row < other.row);
  }
};

// The nearest so far: a few in their order, many as a heap.
class Best {
 public:
  explicit Best(Index k) : k_(k), is_ordered_(k <= most_in_order) {}

  bool is_full() const { return length(found_) == k_; }
  double reach() const { return is_full() ? farthest().squared : infinity; }
  void take(const Neighbour& one) {
    if (is_full()) {
      if (!(one < farthest())) return;
      if (!is_ordered_) std::pop_heap(found_.begin(), found_.end());
      found_.pop_back();
    }
    found_.push_back(one);
    if (is_ordered_)
      move_last_into_order();
    else
      std::push_heap(found_.begin(), found_.end());
  }
  std::vector<Neighbour>& found() { return found_; }
  Index wanted() const { return k_ - length(found_); }

 private:
  // Up to here, moving those that are farther by one place is quicker than mending a heap.
  static constexpr Index most_in_order = 32;

  const Neighbour& farthest() const { return is_ordered_ ? found_.back() : found_.front(); }
  void move_last_into_order() {
    const Neighbour one = found_.back();
    auto place = found_.end() - 1;
    for (; place != found_.begin() && one < *(place - 1); --place) *place = *(place - 1);
    *place = one;
  }

  Index k_;
  bool is_ordered_;
  std::vector<Neighbour> found_;
};

// All within a radius.
class All {
 public:
  explicit All(double squared_radius) : reach_(squared_radius) {}

  double reach() const { return reach_; }
  void take(const Neighbour& one) {
    if (one.squared <= reach_) found_.push_back(one);
  }
  std::vector<Neighbour>& found() { return found_; }
  Index wanted() const { return 0; }

 private:
  double reach_;
  std::vector<Neighbour> found_;
};

// Places for `k` rows of each query, where none is found yet.
inline Nearest none_near(Index queries, Index k) {
  Nearest out;
  out.rows.assign(static_cast<std::size_t>(queries * k), -1);
  out.squared.assign(static_cast<std::size_t>(queries * k), infinity);
  return out;
}

inline void put_nearest(Index query, Index k, Best& best, Nearest& out) {
  std::sort(best.found().begin(), best.found().end());
  for (Index j = 0; j < length(best.found()); ++j) {
    at(out.rows, query * k + j) = at(best.found(), j).row;
    at(out.squared, query * k + j) = at(best.found(), j).squared;
  }
}

inline Within in_order_of_rows(std::vector<std::vector<Neighbour>>& found, const NeighbourCounts& counts) {
  Within out;
  out.counts = counts;
  out.begins.push_back(0);
  for (std::vector<Neighbour>& own : found) {
    std::ranges::sort(own, {}, &Neighbour::row);
    for (const Neighbour& one : own) {
      out.rows.push_back(one.row);
      out.squared.push_back(one.squared);
    }
    out.begins.push_back(length(out.rows));
  }
  return out;
}

inline NeighbourCounts total_of(const std::vector<NeighbourCounts>& counts) {
  NeighbourCounts total;
  for (const NeighbourCounts& one : counts) {
    total.pairs += one.pairs;
    total.screened += one.screened;
    total.settled += one.settled;
  }
  return total;
}

}  // namespace mercer
