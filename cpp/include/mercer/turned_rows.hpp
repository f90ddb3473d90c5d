// Dense rows as searches want them: about their middle, in some of their directions, and in units of their own.
#pragma once

#include <span>
#include <vector>

#include "mercer/pool.hpp"
#include "mercer/view.hpp"

namespace mercer {

// How rows lie.
struct Extent {
  std::vector<double> centre;  // their mean
  double largest = 0;          // size of a feature
  double squared_reach = 0;    // of the row that is farthest from the mean
};
Extent extent_of(const Matrix& rows, const Workers& workers);

// From a row x to (x - centre) unit in some directions, which are orthonormal columns; without any it keeps its own.
struct Turn {
  std::span<const double> centre;
  double unit;
  Dense<double> directions;  // features x directions

  Index features() const { return directions.cols > 0 ? directions.cols : static_cast<Index>(centre.size()); }
};

// Features row after row, `stride` apart, and the norm of what they leave of each row, `step` apart.
template <class T>
struct TurnedRows {
  T* features;
  Index stride;
  T* remainders;
  Index step;
};

template <class T>
void turn(const Matrix& rows, const Turn& by, const TurnedRows<T>& out, const Workers& workers);

}  // namespace mercer
