// Moments of runs of rows in ascending order, each run twice as long as one below it.
//
// A window that is a polynomial of the distance on either side of the query needs of a run of rows on that side no more
// than its moments: any run is then summed in as many steps as its length has digits.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/pool.hpp"
#include "mercer/view.hpp"

namespace mercer {

class MomentTree {
 public:
  // Of sum v t^m and, where `y` is not null, sum v y t^m, for `count` powers each.
  MomentTree(const double* x, const double* v, const double* y, Index rows, Index count, const Workers& workers);

  struct Node {
    double centre, radius;
    const double* moments;     // with v
    const double* of_targets;  // with v y
  };

  // Makes up rows from `first` up to `last` of nodes, and of rows at the ends.
  template <class OfNode, class OfRows>
  void cover(Index first, Index last, OfNode of_node, OfRows of_rows) const {
    Index left = (first + rows_per_leaf - 1) / rows_per_leaf, right = last / rows_per_leaf;
    if (left >= right) return of_rows(first, last);
    if (first < left * rows_per_leaf) of_rows(first, left * rows_per_leaf);
    for (std::size_t level = 0; left < right; ++level, left /= 2, right /= 2) {
      if (left % 2 == 1) of_node(node(level, left++));
      if (right % 2 == 1) of_node(node(level, --right));
    }
    if (last / rows_per_leaf * rows_per_leaf < last) of_rows(last / rows_per_leaf * rows_per_leaf, last);
  }

 private:
  // Below this rows are as quick one by one.
  static constexpr Index rows_per_leaf = 32;

  struct Level {
    std::vector<double> centres, radii, moments;
  };

  Node node(std::size_t level, Index number) const;
  // The moments of one node about the middle of the one above it, added to those.
  void add_moved(const Node& from, double centre, double inverse_radius, double* out) const;

  Index count_;
  Index sets_;  // of moments a node: one, or two with targets
  std::vector<Level> levels_;
};

}  // namespace mercer
