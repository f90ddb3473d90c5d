// One split of the rows through cells in turn, from narrow bounds to wide ones.
#pragma once

#include "mercer/cells.hpp"
#include "solver/state.hpp"

namespace mercer {

template <class T>
class Chain {
 public:
  // On a kernel matrix, of which it gathers the values of the rows that matter; `gram` has them in float64. All outlive
  // it. It goes from the cell `first` up to, and without, `last`.
  Chain(Gram<T>& gram, const Block<T>& kernel, const std::vector<double>& diagonal, const Cells& cells, Index split,
        const SolverOptions& options, Room<T>& room, CellSolutions& out, Index first, Index last);
  ~Chain();
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  bool is_done() const { return cell_ == last_; }
  bool has_begun() const { return cell_ > first_; }
  Index cell() const { return cell_; }  // the next

  // The first cell begins from the machine that was found for it on another split.
  void begin_from(Index other);
  // Solves the next cell, from where the one before ended. Throws Stopped.
  void solve_next(Stop& stop);

 private:
  void set_bounds();
  void begin_with(std::span<const double> coef);
  void take_over_machine();
  bool has_none_at_bound() const;
  bool is_mostly_bounded() const;
  void improve(double tol, Stop& stop);
  void refine(Stop& stop);
  double evaluate_exactly(const std::vector<Index>& rows, Stop& stop);
  void activate(double violation);
  std::vector<Index> sample() const;
  void hold_all();
  // The values among the active rows.
  Block<T> block() const { return length(active_) == cells_.rows ? kernel_ : Block<T>{block_.data(), stride_}; }
  void hold(std::vector<Index> rows);
  Index descend(State& part, double tol, Stop& stop) const;
  void settle(const State& part);
  void snap();
  void keep();
  std::size_t number(Index split) const { return static_cast<std::size_t>(cell_ * cells_.splits + split); }

  Gram<T>& gram_;
  const Block<T>& kernel_;
  const Cells& cells_;
  const Index split_;
  const SolverOptions& options_;
  Room<T>& room_;
  CellSolutions& out_;
  const double unit_;
  const Index first_, last_;
  Index cell_;

  State whole_;                // all rows; those that are held out stay at zero
  std::vector<Index> active_;  // the rows whose values among themselves are at hand
  std::vector<bool> is_active_;
  Buffer<T> block_;
  bool is_set_ = false;  // whether the active rows are only some of those that should be
  Index stride_ = 0;
  Index steps_ = 0;  // of the cell at work
};

}  // namespace mercer
