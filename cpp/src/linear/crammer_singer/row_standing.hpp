// How a row stands at some weights of Crammer and Singer's machine; in a header, for every step begins with it.
#pragma once

#include <algorithm>
#include <limits>

#include "mercer/simd.hpp"

namespace mercer {

// The classes of a row are looked at in lanes, which are padded with a value that is never the largest: whole vectors,
// whatever the level.
constexpr Index class_lanes = 4;
constexpr double never_largest = -1e300;
inline Index padded_classes(Index classes) { return (classes + lanes<double> - 1) / lanes<double> * lanes<double>; }

struct RowStanding {
  double loss = 0;
  double gap = 0;        // its share of the duality gap
  double violation = 0;  // how far its optimality condition fails; below zero, with how much slack it holds
};

// As large as the largest where two are.
inline double second_largest(const double* values, Index classes) {
  double first = -std::numeric_limits<double>::infinity(), second = first;
  for (Index m = 0; m < classes; ++m) {
    second = std::max(second, std::min(first, values[m]));
    first = std::max(first, values[m]);
  }
  return second;
}

// Of a row of class y, given values[m] = e_m + f_m and its dual variables, both padded: these with zeros.
inline RowStanding standing_of(const double* values, const double* alpha, Index classes, Index y, double C) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double largests[class_lanes], products[class_lanes];
  double lowests[class_lanes];  // of the classes whose variables may grow
  std::ranges::fill(largests, never_largest);
  std::ranges::fill(products, 0.0);
  std::ranges::fill(lowests, infinity);
  for (Index first = 0; first < classes; first += class_lanes)
    for (Index v = 0; v < class_lanes; ++v) {
      const double f = values[first + v], a = alpha[first + v], grows = a < 0 ? f : infinity;
      products[v] += a * f;
      largests[v] = largests[v] < f ? f : largests[v];
      lowests[v] = grows < lowests[v] ? grows : lowests[v];
    }
  const double largest = std::ranges::max(largests);
  const double lowest = std::min(std::ranges::min(lowests), alpha[y] < C ? values[y] : infinity);
  const double loss = C * (largest - values[y]);
  const double gap = loss + ((products[0] + products[1]) + (products[2] + products[3]));
  return {loss, gap, largest > lowest ? largest - lowest : second_largest(values, classes) - lowest};
}

}  // namespace mercer
