// How a row stands at some weights of Crammer and Singer's machine.
#pragma once

#include "mercer/view.hpp"

namespace mercer {

// The classes of a row are looked at in lanes, which are padded with a value that is never the largest.
constexpr Index class_lanes = 4;
constexpr double never_largest = -1e300;
inline Index padded_classes(Index classes) { return (classes + class_lanes - 1) / class_lanes * class_lanes; }

struct RowStanding {
  double loss = 0;
  double gap = 0;        // its share of the duality gap
  double violation = 0;  // how far its optimality condition fails; below zero, with how much slack it holds
};

// Of a row of class y, given values[m] = e_m + f_m and its dual variables, both padded: these with zeros.
RowStanding standing_of(const double* values, const double* alpha, Index classes, Index y, double C);

}  // namespace mercer
