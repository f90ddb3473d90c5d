// A penalty on the absolute values of the weights: working sets of columns.
//
// Solves       the problem of lasso.hpp
// Given        the rows, the losses, tolerances
// Returns      w with its offset, and feasible dual variables
// Stops when   the duality gap over all columns is within its tolerance
// See          Massias, Gramfort, Salmon (2018), Celer: a fast solver for the lasso with dual extrapolation;
//              Yuan, Chang, Hsieh, Lin (2010), A comparison of optimization methods and software for large-scale
//              L1-regularized linear classification
//
// Most weights are zero at the optimum. The problem is solved on the columns that have one and on some of those that
// would gain from one, the sums of which with the dual variables are beyond their bounds; then all columns are looked
// at again. Where rows can be separated and C is large, few rows lie within the margin and Newton's steps are short:
// the problem is then solved with a smaller C first, which grows stage by stage.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "columns.hpp"
#include "linear/rows/shares.hpp"
#include "linear/solve_each.hpp"
#include "mercer/lasso.hpp"
#include "newton.hpp"

namespace mercer {
namespace {

// So many columns join the first set, and later sets as many for each weight, if so many would gain.
constexpr std::size_t first_set = 128;
constexpr std::size_t joining_per_weight = 2;
// A set is solved until its gap is this share of the gap over all columns, or of the tolerance.
constexpr double share_of_gap = 0.3;
// Sets and stages together.
constexpr int most_rounds = 300;
// How C grows from stage to stage, and how well a stage is solved.
constexpr double growth = 10;
constexpr double gap_of_stages = 0.1;
// A stage that struggles although its C is only so much larger than that of the one before has to do without.
constexpr double least_growth = 2;
constexpr double least_scale = 1e-9;

class WorkingSets {
 public:
  WorkingSets(const Matrix& X, const LinearProblem& problem, const LassoOptions& options, Stop& stop)
      : X_(X),
        problem_(problem),
        options_(options),
        stop_(stop),
        rows_(linear_rows(X, {}, problem.offsets)),
        w_(static_cast<std::size_t>(rows_->cols()), 0.0),
        values_(static_cast<std::size_t>(rows_->size()), 0.0),
        feasible_(values_.size(), 0.0) {
    std::ranges::copy(problem.start, w_.begin());
  }

  LinearSolution solve() {
    LinearSolution found;
    try {
      if (!problem_.start.empty()) evaluate();
      found.status = rows_->cols() <= options_.most_whole ? solve_whole() : solve_sets();
    } catch (const Stopped& stopped) {
      found.status = stopped.status;
    }
    found.steps = stop_.progress.steps;
    found.w = std::move(w_);
    found.coef = std::move(feasible_);
    return found;
  }

 private:
  using End = LassoNewton::End;
  // Some of the features; the offset stands behind them.
  using Set = std::vector<Index>;

  struct Look {
    std::vector<double> sums;  // of all columns with the dual variables
    double gap;                // as a share of the objective
  };

  std::size_t features() const { return static_cast<std::size_t>(rows_->features()); }

  void evaluate() {
    std::vector<std::int32_t> all(values_.size());
    std::iota(all.begin(), all.end(), 0);
    RowShares(all, options_.threads, stop_).each([&](RowList part, std::size_t first) {
      rows_->dots(part, w_.data(), values_.data() + first);
    });
  }

  Status solve_whole() {
    Set all(features());
    std::iota(all.begin(), all.end(), Index(0));
    LassoNewton newton(X_, problem_, options_, stop_);
    for (int k = 0; k < most_rounds; ++k) {
      const End end = solve_on(all, newton, enough());
      look_at_all(newton);
      if (end == End::struggling)
        lower_scale();
      else if (scale_ == 1)
        return end == End::solved ? Status::solved : Status::stalled;
      else
        raise_scale();
    }
    return Status::stalled;
  }

  // Without weights to start from the first set is empty: a free offset alone tells which columns matter first.
  Status solve_sets() {
    measure_columns();
    Set set;
    for (Index j = 0; j < rows_->features(); ++j)
      if (w_[static_cast<std::size_t>(j)] != 0) set.push_back(j);
    double gap = 1;
    for (int k = 0; k < most_rounds; ++k) {
      const ColumnSubset columns(X_, set);
      LassoNewton newton(columns.matrix(), problem_, options_, stop_);
      const End end = solve_on(set, newton, share_of_gap * std::max(gap, enough()));
      if (end == End::struggling) {
        lower_scale();
        continue;
      }
      const Look look = look_at_all(newton);
      gap = look.gap;
      stop_.progress.violation = gap;
      Set next = next_set(look.sums);
      const bool is_stalled = end == End::stalled && std::ranges::includes(set, next);
      if (scale_ == 1 && (gap <= enough() || is_stalled)) return gap <= enough() ? Status::solved : Status::stalled;
      if (gap <= enough() || is_stalled)
        raise_scale();
      else
        set = std::move(next);
    }
    return Status::stalled;
  }

  double enough() const { return scale_ < 1 ? gap_of_stages : options_.gap_tol; }
  bool may_struggle() const { return scale_ > std::max(least_growth * solved_scale_, least_scale); }
  void lower_scale() { scale_ = solved_scale_ > 0 ? std::sqrt(solved_scale_ * scale_) : scale_ / growth; }
  void raise_scale() {
    solved_scale_ = scale_;
    scale_ = std::min(1.0, growth * scale_);
  }

  // Whatever ends the steps, what they have reached is kept.
  End solve_on(const Set& set, LassoNewton& newton, double gap_tol) {
    std::vector<double> start;
    for (const Index j : set) start.push_back(w_[static_cast<std::size_t>(j)]);
    start.insert(start.end(), w_.begin() + rows_->features(), w_.end());
    newton.start(std::move(start), values_);
    const auto keep = [&] {
      std::ranges::fill(w_, 0.0);
      for (std::size_t k = 0; k < set.size(); ++k) w_[static_cast<std::size_t>(set[k])] = newton.weights()[k];
      std::ranges::copy(newton.weights().begin() + static_cast<std::ptrdiff_t>(set.size()), newton.weights().end(),
                        w_.begin() + rows_->features());
      values_ = newton.values();
      if (set.size() == features()) offer(newton.feasible(), 1.0);
    };
    try {
      const End end = newton.minimise(scale_, gap_tol, may_struggle());
      keep();
      return end;
    } catch (const Stopped&) {
      keep();
      throw;
    }
  }

  // Keeps the best multiple of dual variables if it is better than what there is.
  void offer(const std::vector<double>& coef, double largest) {
    const FeasibleMultiple multiple(problem_, 1.0, coef, largest);
    if (!(multiple.dual > dual_)) return;
    dual_ = multiple.dual;
    for (std::size_t i = 0; i < feasible_.size(); ++i) feasible_[i] = multiple.factor * coef[i];
  }

  void measure_columns() {
    std::vector<std::int32_t> all(values_.size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<double> ones(all.size(), 1.0);
    norms_.assign(w_.size(), 0.0);
    rows_->add_squares(all, ones.data(), norms_.data());
    for (double& norm : norms_) norm = std::sqrt(norm);
  }

  Look look_at_all(const LassoNewton& newton) {
    std::vector<std::int32_t> active;
    std::vector<double> coef;
    for (std::size_t i = 0; i < newton.coef().size(); ++i) {
      if (newton.coef()[i] == 0) continue;
      active.push_back(static_cast<std::int32_t>(i));
      coef.push_back(newton.coef()[i]);
    }
    std::vector<double> sums(w_.size(), 0.0);
    RowShares(active, options_.threads, stop_)
        .sum(sums.data(), rows_->cols(),
             [&](RowList part, std::size_t first, double* sum) { rows_->add(part, coef.data() + first, sum); });
    double largest = 0;
    for (std::size_t j = 0; j < sums.size(); ++j)
      if (j < features() || !problem_.free_offsets) largest = std::max(largest, std::abs(sums[j]));
    offer(newton.coef(), largest);
    const double dual = scale_ == 1 ? dual_ : FeasibleMultiple(problem_, scale_, newton.coef(), largest).dual;
    const double primal = newton.primal();
    return {std::move(sums), primal > 0 ? (primal - dual) / primal : 0.0};
  }

  // The columns with a weight, and those whose sums are farthest beyond their bounds.
  Set next_set(const std::vector<double>& sums) const {
    Set chosen, others;
    for (std::size_t j = 0; j < features(); ++j) {
      if (w_[j] != 0)
        chosen.push_back(static_cast<Index>(j));
      else if (std::abs(sums[j]) > 1)
        others.push_back(static_cast<Index>(j));
    }
    const std::size_t most = std::max(first_set, joining_per_weight * chosen.size());
    if (others.size() > most) {
      const auto end = others.begin() + static_cast<std::ptrdiff_t>(most);
      std::ranges::nth_element(others, end, std::greater(), [&](Index j) {
        const std::size_t k = static_cast<std::size_t>(j);
        return (std::abs(sums[k]) - 1) / norms_[k];
      });
      others.erase(end, others.end());
    }
    chosen.insert(chosen.end(), others.begin(), others.end());
    std::ranges::sort(chosen);
    return chosen;
  }

  const Matrix& X_;
  const LinearProblem& problem_;
  const LassoOptions& options_;
  Stop& stop_;
  std::unique_ptr<LinearRows> rows_;
  std::vector<double> norms_;  // of the columns
  // Of C in this stage and in the last one that was solved.
  double scale_ = 1, solved_scale_ = 0;
  std::vector<double> w_, values_;
  std::vector<double> feasible_;
  double dual_ = 0;  // of the feasible coefficients
};

}  // namespace

LinearSolution solve_lasso(const Matrix& X, const LinearProblem& problem, const LassoOptions& options, Stop& stop) {
  return WorkingSets(X, problem, options, stop).solve();
}

std::vector<LinearSolution> solve_lassos(const Matrix& X, const std::vector<LinearProblem>& problems,
                                         const LassoOptions& options, const Limits& limits,
                                         const Stop::Report& report) {
  return solve_each(X, problems, options.threads, limits, report,
                    [&](std::size_t k, const LinearSolution& reached, int threads, Stop& stop) {
                      LinearProblem problem = problems[k];
                      if (!reached.w.empty()) problem.start = reached.w;
                      LassoOptions own = options;
                      own.threads = threads;
                      return solve_lasso(X, problem, own, stop);
                    });
}

}  // namespace mercer
