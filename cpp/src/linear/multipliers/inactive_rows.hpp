// Rows at a bound that cannot leave it before w has moved by their slack over their norm: until then nobody reads them.
#pragma once

#include <vector>

#include "mercer/buffer.hpp"

namespace mercer {

class InactiveRows {
 public:
  // Of rows 0, 1, ..., none of which is inactive yet.
  explicit InactiveRows(Index count);

  // w has moved by so much.
  void advance(double length) { path_ += length; }
  // Row i rests at a bound until w has moved by slack / norm.
  void put(std::int32_t i, double coef, double norm, double slack);
  // Takes out the rows that could leave their bounds before w has moved by `reach`.
  std::vector<std::int32_t> take_due(double reach);

  // Of a row as it was put, also after it was taken out.
  double coef(std::int32_t i) const { return coef_[i]; }
  double norm(std::int32_t i) const { return norm_[i]; }
  // Of all rows; those that were never put have any value.
  std::vector<double> coefficients() const { return {coef_.data(), coef_.data() + coef_.size()}; }

 private:
  void look_ahead(double reach);

  Buffer<double> coef_, norm_;
  Buffer<double> rests_until_;  // the path up to which a row rests; below zero where it is not here
  double path_ = 0;             // how far w has moved
  // The rows that rest no longer than until the path is so long, which are those to recheck.
  std::vector<std::int32_t> recheck_;
  double looked_ahead_ = -1;
};

}  // namespace mercer
