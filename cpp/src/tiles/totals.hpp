// Results that add up: in the caller's array, or in one of their own that begins with zeros.
#pragma once

#include <vector>

#include "mercer/view.hpp"

namespace mercer {

class Totals {
 public:
  Totals(double* out, Index size) : out_(out), size_(size) {}
  explicit Totals(Index size) : own_(static_cast<std::size_t>(size), 0.0), size_(size) {}

  double* data() { return out_ ? out_ : own_.data(); }

  void add(Totals& other) {
    double* to = data();
    const double* from = other.data();
    for (Index k = 0; k < size_; ++k) to[k] += from[k];
  }

 private:
  double* out_ = nullptr;
  std::vector<double> own_;
  Index size_;
};

}  // namespace mercer
