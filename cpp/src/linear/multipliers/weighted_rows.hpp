// Rows by their positions in the data, with their weights in Newton's matrix.
#pragma once

#include "mercer/linear_rows.hpp"

namespace mercer {

struct WeightedRows {
  std::vector<std::int32_t> positions;
  std::vector<double> weights;

  Index size() const { return static_cast<Index>(positions.size()); }
  void take(std::int32_t position, double weight) {
    positions.push_back(position);
    weights.push_back(weight);
  }
  void take(const WeightedRows& other) {
    positions.insert(positions.end(), other.positions.begin(), other.positions.end());
    weights.insert(weights.end(), other.weights.begin(), other.weights.end());
  }
};

}  // namespace mercer
