// The rows of a sample with their losses, or the envelopes of these: which are active, and what becomes of them when w
// moves.
#pragma once

#include "active_rows.hpp"
#include "inactive_rows.hpp"
#include "mercer/linear_problem.hpp"
#include "sample.hpp"

namespace mercer {

// Calls body(first, last) for blocks of rows that stay in the nearest caches.
constexpr Index rows_per_block = 128;
template <class Body>
void for_each_block(Index first, Index last, Body body) {
  for (; first < last; first += rows_per_block) body(first, std::min(first + rows_per_block, last));
}

// What became of the active rows when w moved.
struct RowMoves {
  // What sum coef x has changed by, share by share: they are added one by one, whatever the threads.
  std::vector<std::vector<double>> sums;
  WeightedRows entered, left;         // rows that came between their bounds, and those that left
  std::vector<std::int32_t> resting;  // slots of rows that may become inactive
  LossStanding totals, totals_of_resting;
};

class EnvelopeRows {
 public:
  // All are active, at no values yet.
  EnvelopeRows(const LinearRows& X, const LinearProblem& problem, const Sample& sample, int threads, Stop& stop);

  Index size() const { return static_cast<Index>(members_.size()); }
  ActiveRows& active() { return active_; }
  bool is_smooth() const { return is_smooth_; }
  // How much steeper the envelopes are than where they are as wide as the bounds.
  double scale() const { return scale_; }
  void set_steepness(double steepness) {
    if (!is_smooth_) scale_ = steepness / problem_.unit;
  }

  // Values, norms and coefficients of the active rows [first, last) at w; returns the largest norm. Without centres to
  // keep, these follow from the values.
  double begin(Index first, Index last, const double* w, bool keeps_centres);
  // Brings values and coefficients up to date after w has gone t times the step that slope_along_step was asked for;
  // `follows` where Newton's matrix tells what rows do that stay between their bounds. Rows may rest that cannot change
  // before w has gone farther than the horizon.
  RowMoves move(double t, double horizon, bool follows);

  // The slope of the envelopes at the end of a step, and at other lengths of the same.
  LossSlope slope_along_step(const std::vector<double>& step);
  LossSlope slope_along(double t);

  // Rows by their slots become inactive until w has moved far enough.
  void deactivate(RowList slots);
  // Rows become active that could change before w has moved by so much; their share is taken from `inactive`, the
  // totals of those that rest.
  void activate(double reach, const std::vector<double>& w, LossStanding& inactive);
  // w has moved by so much.
  void advance(double length) { inactive_.advance(length); }

  // Moves the centres to the coefficients, and makes the envelopes steeper.
  void steepen(double factor);
  // Moves the centres of all rows, none of which is inactive, to coefficients.
  void set_centres(const std::vector<double>& coef);
  std::vector<double> coefficients();

 private:
  // Puts row i at slot k of the active ones, but for where it is.
  void put(Index k, std::int32_t i);
  // Of the active rows [first, last).
  void move_block(Index first, Index last, const LossMove& move, RowMoves& found, double* sum);
  // What the active row at slot k adds to the dual objective.
  double dual_of(Index k);

  const LinearRows& X_;
  const LinearProblem& problem_;
  int threads_;
  Stop& stop_;
  std::vector<std::int32_t> members_;
  double factor_;
  bool is_smooth_;
  double scale_;
  ActiveRows active_;
  InactiveRows inactive_;
};

}  // namespace mercer
