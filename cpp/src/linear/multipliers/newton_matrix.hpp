// The matrix of Newton's systems: that of the rows between their bounds, a share of an earlier one, and the curvature
// of the penalty.
#pragma once

#include <functional>

#include "mercer/buffer.hpp"
#include "penalty.hpp"
#include "weighted_rows.hpp"

namespace mercer {

class NewtonMatrix {
 public:
  // Of some of the rows of X, `rows` in all.
  NewtonMatrix(const LinearRows& X, Index rows, int threads, Stop& stop);

  // The Gram matrix of the rows between their bounds is summed in parts, where so many rows are looked at.
  Index count_shares(Index rows) const;
  Buffer<double> empty_share() const;
  // Takes the sum of the shares of so many rows between their bounds, and `squares`, the weighted sums of the squares
  // of the features over all rows.
  void assemble(const std::vector<Buffer<double>>& shares, Index between, std::vector<double> squares);
  // The rows that came between their bounds and those that left; all that are there now where summing anew is better.
  void update(const WeightedRows& entered, const WeightedRows& left, const std::function<WeightedRows()>& between);

  // v -= length * gram * step, which is what the coefficients do that stay between their bounds while w goes along the
  // step. Returns how far rounding can have moved v.
  double follow(const std::vector<double>& step, double length, std::vector<double>& v) const;

  // Damps the steps with the matrix as it is now, or with that of a sample or another loss. Features that its rows lack
  // count as if the rows were like all.
  void damp_with(const NewtonMatrix& other);
  void reset_damping() { damping_ = first_damping; }
  // A full step damps the next one less, a short one more.
  void adapt_damping(double length);

  // Solves (penalty + scale * matrix) step = -gradient. Zero where the system is beyond what numbers hold.
  std::vector<double> step(const std::vector<double>& gradient, double scale, const SquaredPenalty& penalty) const;

 private:
  // The share of the earlier Gram matrix.
  static constexpr double first_damping = 0.1;

  std::size_t width() const { return static_cast<std::size_t>(X_.cols()); }
  void add(const WeightedRows& rows, double sign);
  void add_up(const std::vector<Buffer<double>>& shares);
  bool solve(std::vector<double>& step, double scale, const SquaredPenalty& penalty, double ridge) const;

  const LinearRows& X_;
  Index rows_;
  int threads_;
  Stop& stop_;
  Buffer<double> gram_;                   // of the rows between their bounds
  Index between_ = 0, most_between_ = 0;  // how many these are, and how many they were at most since it was summed
  // That of the round before: features that only few of these rows have would else take the step far beyond where other
  // rows come in.
  Buffer<double> earlier_gram_;
  double damping_ = first_damping;
  std::vector<double> squares_;  // of the features, over all rows
};

}  // namespace mercer
