// Newton's method for the problem of lasso.hpp on given columns.
#pragma once

#include <optional>

#include "columns.hpp"
#include "feasible_multiple.hpp"
#include "margin_gram.hpp"
#include "mercer/lasso.hpp"

namespace mercer {

class LassoNewton {
 public:
  LassoNewton(const Matrix& X, const LinearProblem& problem, const LassoOptions& options, Stop& stop);

  // Starts from some weights and their values x . w.
  void start(std::vector<double> w, std::vector<double> values);
  enum class End { solved, stalled, struggling };
  // Steps until the duality gap of the problem on these columns, with the weights of its losses scaled, is within a
  // share of its objective; or, where it may, until steps turn out short again and again.
  End minimise(double scale, double gap_tol, bool may_struggle);

  const std::vector<double>& weights() const { return w_; }
  const std::vector<double>& values() const { return values_; }
  // The dual variables 2 C max(0, 1 - t f) t, which add up to zero where the offset is free.
  const std::vector<double>& coef() const { return coef_; }
  double primal() const { return primal_; }
  // The feasible multiple of the dual variables, and what its objective lacks to the primal one.
  const std::vector<double>& feasible() const { return feasible_; }
  double gap() const { return primal_ - dual_; }

 private:
  std::size_t width() const { return static_cast<std::size_t>(X_->cols()); }
  double weight(std::size_t i) const { return scale_ * problem_.weight[i]; }
  double margin(std::size_t i) const { return 1 - problem_.slope[i] * values_[i]; }
  bool has_free_offset() const { return problem_.free_offsets && problem_.offsets.count > 0; }
  bool is_free(std::size_t j) const { return penalty_[j] == 0; }

  void measure();
  void centre();
  void balance();
  bool step();
  std::vector<double> model_minimum() const;
  double line_search(std::span<const double> step, std::span<const double> changes) const;

  std::unique_ptr<LinearRows> X_;
  // One of these: the columns where there are too many for a matrix.
  std::optional<Columns> columns_;
  std::optional<MarginGram> gram_;
  const LinearProblem& problem_;
  int threads_;
  Stop& stop_;
  std::vector<std::int32_t> all_;

  std::vector<double> penalty_;
  std::vector<double> squares_;  // of each column over all rows, with the curvatures of their losses as weights
  double scale_ = 1;
  std::vector<double> w_, values_;
  std::vector<double> coef_;
  std::vector<double> sums_;  // sum coef x
  double primal_ = 0, dual_ = 0;
  std::vector<double> feasible_;

  std::vector<std::int32_t> active_;  // rows within the margin
  double damping_;
  int short_steps_ = 0;
};

}  // namespace mercer
