// The rows that are not active. They have values, and bring them up to date when the active rows are solved, unless
// they cannot violate. All that is done for them goes through this interface: what changed goes in; extremes, violators
// and rows to activate come out. Rows that are active come back here after each round.
#pragma once

#include "contribution.hpp"
#include "mercer/gram.hpp"
#include "round_history.hpp"
#include "start.hpp"
#include "working_set.hpp"

namespace mercer {

// How far values move, relative to the path of the machine in feature space. One would be safe; values move far less,
// and whoever does not verify checks all rows afterwards. Not so where coefficients have a sum other than zero: then
// values move together.
inline constexpr double screening_factor = 0.15;

// What tells the rows that cannot violate after a round: these are not brought up to date.
struct Screening {
  bool is_on;       // else all are
  double safety;    // 1, or `screening_factor` where that will do
  Extremes active;  // of the active rows
  Sums pivots;      // where the values of their free ones lie
};

template <class T>
class RestingRows {
 public:
  // No row is known yet. The Gram matrix has the order of the state, and outlives the rows.
  RestingRows(State state, Gram<T>& gram, Stop& stop);

  Index size() const { return state_.size(); }
  Index known() const { return known_; }
  bool is_sample() const { return known_ < size(); }  // more rows will be known
  const std::vector<double>& coef() const { return state_.coef; }
  std::vector<double> values(Index first) const;  // of the known rows from `first` on

  // Makes the first `rows` rows known: they have values, and may become active.
  void admit(Index rows);
  // Gives the first `rows` rows their share of the sums; values are left as they are. True where coefficients changed.
  bool give_sums(const Start& start, Index rows, double unit);
  // Computes the values of all known rows anew.
  void evaluate_all();

  // Of the known rows.
  Extremes extremes() const { return mercer::extremes(state_, known_); }
  Objective objective() const { return mercer::objective(state_); }
  double spread() const;  // the standard deviation of values, or one where they are all the same
  Index count_violators(const Sums& pivots, double tol) const;

  // Rows to become active, and rows that violate or nearly do: see choose_active.
  std::vector<Index> choose(const std::vector<bool>& active_before, const Activation& how) const;
  std::vector<Index> near_violating(const Sums& pivots, double margin) const;
  // These rows, with values of the coefficients as they are.
  State up_to_date(const std::vector<Index>& rows);

  // Rows that were active come back as they are after a round: coefficients, values and what is known of k(x, x).
  void settle(const std::vector<Index>& rows, const State& active);
  // Takes over coefficients alone, of a round that was cut short.
  void take_coef(const std::vector<Index>& rows, const std::vector<double>& coef);
  // Brings the values of the other known rows up to date, where they may violate.
  void refresh(const std::vector<bool>& is_active, const Screening& screening);

  // Takes float64 values for these rows; returns the largest difference from what was there.
  double evaluate_exactly(const std::vector<Index>& rows);

 private:
  bool may_violate(Index i, const Screening& screening) const;
  double reach_of(Index i, double safety) const;
  void evaluate(const std::vector<Index>& rows);
  void catch_up(const std::vector<Index>& rows, const Contribution& change);
  void put_neg_grad(const std::vector<double>& neg_grad, const std::vector<Index>& rows);

  Gram<T>& gram_;
  Stop& stop_;
  State state_;      // of all rows; the active ones as they were before the round
  Index known_ = 0;  // the first rows, which have values
  RoundHistory history_;
};

}  // namespace mercer
