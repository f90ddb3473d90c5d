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

// The nearest so far.
class Best {
 public:
  explicit Best(Index k) : k_(k) {}

  bool is_full() const { return length(heap_) == k_; }
  double reach() const { return is_full() ? heap_.front().squared : infinity; }
  void take(const Neighbour& one) {
    if (is_full()) {
      if (!(one < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(one);
    std::push_heap(heap_.begin(), heap_.end());
  }
  std::vector<Neighbour>& found() { return heap_; }
  Index wanted() const { return k_ - length(heap_); }

 private:
  Index k_;
  std::vector<Neighbour> heap_;
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
