// Exact nearest neighbours by a norm of the differences: distances from all rows, in float64.
#pragma once

#include "mercer/buffer.hpp"
#include "mercer/neighbours.hpp"
#include "mercer/simd.hpp"

namespace mercer {

// Rows in panels.
class PanelIndex {
 public:
  // Copies the rows, which are dense.
  PanelIndex(const Matrix& rows, Norm norm, const Workers& workers);

  Index size() const { return length_; }
  Index features() const { return d_; }
  Norm norm() const { return norm_; }
  // The rows from lanes<double> times the number on; places after the last row hold zeros.
  const double* panel(Index number) const { return panels_.data() + number * lanes<double> * d_; }
  Index panels() const { return (length_ + lanes<double> - 1) / lanes<double>; }

 private:
  Norm norm_;
  Index length_, d_;
  Buffer<double> panels_;
};

struct PanelTask {
  const PanelIndex& index;
  Matrix queries;  // dense
  // As those of NeighbourTask.
  std::span<const std::int64_t> excluded = {};
  std::span<const std::uint8_t> forgotten = {};
};

// As the searches of neighbours.hpp; distances are squared for the Euclidean norm only.
Nearest nearest(const PanelTask& task, Index k, const Workers& workers);
Within within(const PanelTask& task, double radius, const Workers& workers);

}  // namespace mercer
