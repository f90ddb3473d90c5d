// What the weights of a linear machine cost: half their squares, but for offsets that are free.
#pragma once

#include "mercer/linear_problem.hpp"

namespace mercer {

class SquaredPenalty {
 public:
  SquaredPenalty(Index features, const LinearProblem& problem)
      : features_(features), has_free_offsets_(problem.free_offsets), sums_(problem.sums) {}

  Index features() const { return features_; }
  bool has_free_offsets() const { return has_free_offsets_; }
  // Whether the square of a weight is part of the objective.
  bool covers(Index j) const { return j < features_ || !has_free_offsets_; }
  // Its derivative: of a free offset, what the coefficients of its side are to add up to.
  double derivative(Index j, double w) const { return covers(j) ? w : sums_[static_cast<std::size_t>(j - features_)]; }
  // Its second derivative in Newton's matrix.
  double curvature(Index j) const { return covers(j) ? 1.0 : curvature_of_free; }

 private:
  // So that the matrix has an inverse even where no row moves.
  static constexpr double curvature_of_free = 1e-10;

  Index features_;
  bool has_free_offsets_;
  std::array<double, 2> sums_;
};

}  // namespace mercer
