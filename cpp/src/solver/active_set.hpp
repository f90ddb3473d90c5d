// The active rows: which they are, their state, and the kernel values among them. They are solved as one block while
// they are few, a working set at a time where they are more.
#pragma once

#include "active_block.hpp"
#include "patience.hpp"
#include "working_set.hpp"

namespace mercer {

template <class T>
class ActiveSet {
 public:
  // Of the rows of a Gram matrix, none to begin with; `largest_diagonal` is what is known of its k(x, x). The time it
  // takes is added to `seconds`. All outlive it.
  ActiveSet(Gram<T>& gram, double largest_diagonal, const SolverOptions& options, Stop& stop, Seconds& seconds);

  Index size() const { return state_.size(); }
  const std::vector<Index>& rows() const { return rows_; }
  const std::vector<bool>& is_active() const { return is_active_; }  // each row of the Gram matrix
  const State& state() const { return state_; }
  const Sums& pivots() const { return pivots_; }  // where the values of free rows lay when they were last solved
  double largest_diagonal() const { return largest_diagonal_; }

  // What is active next, where values lie about `unit` apart.
  Activation activation(double unit) const;
  // Which rows to hold where these are wanted: they, or, where the block is at hand and few leave, the rows as they are
  // and after them those that are new.
  std::vector<Index> rows_for(const std::vector<Index>& wanted) const;
  // Takes rows, with values that are up to date. The block stays where the first rows are those there were.
  void hold(std::vector<Index> rows, State state);
  // From now on the kernel values count as too inexact to spend many steps on.
  void doubt() { is_doubtful_ = true; }

  // Steps until the violation of the active rows is at most `target`, or none changes anything. Throws Stopped at the
  // limits, where `patience` ends, and where a hard margin is proved to be too small.
  void descend(double target, Patience patience);
  // The same within some steps and the limits; what is reached is enough.
  void refine(double target, Index most_steps);

 private:
  void step_until(double target, Patience patience);
  Index solve_whole(double target);
  Index solve_working_set(std::vector<Index>& set, double violation, double target);
  Index descend_timed(State& state, const Block<T>& block, double tol);
  Block<T> block_of_all();
  Block<T> block_of(const std::vector<Index>& set);
  void learn_diagonal(Index i, T value);
  Index working_set_size() const;

  Gram<T>& gram_;
  const SolverOptions& options_;
  Stop& stop_;
  Seconds& seconds_;

  std::vector<Index> rows_;
  std::vector<bool> is_active_;
  State state_;
  Sums pivots_{0, 0};
  ActiveBlock<T> block_;
  double largest_diagonal_;
  bool is_doubtful_ = false;
  Index work_ = 0;  // in steps
};

}  // namespace mercer
