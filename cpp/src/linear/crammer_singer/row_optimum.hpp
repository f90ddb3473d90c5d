// The dual variables of one row where those of all others stay as they are.
#pragma once

#include <vector>

#include "mercer/view.hpp"

namespace mercer {

class RowOptimum {
 public:
  explicit RowOptimum(Index classes) : classes_(classes), places_(static_cast<std::size_t>(classes)) {}

  // The alpha that minimise 1/2 norm |alpha|^2 + B . alpha where they add up to zero, that of class y is at most C, and
  // those of the others at most zero. The norm must not be zero. B is overwritten.
  void find(double* B, Index y, double C, double norm, double* alpha);

 private:
  Index classes_;
  std::vector<Index> places_;
};

}  // namespace mercer
