// Dual coordinate descent over rows.
//
// Solves       the problem of crammer_singer.hpp
// Given        the rows, their classes and bounds, a seed
// Returns      W and the dual variables it is made of
// Stops when   the duality gap is within its tolerance, or does not fall any more
// See          Keerthi, Sundararajan, Chang, Hsieh, Lin (2008), A sequential dual method for large scale multi-class
//              linear SVMs; Crammer, Singer (2001), On the algorithmic implementation of multiclass kernel-based vector
//              machines
//
// A step takes all dual variables of one row to their optimum, which needs no more than the largest few of its values.
// Rows that hold with slack are inactive until the others have settled.
#include <algorithm>
#include <limits>
#include <random>

#include "class_weights.hpp"
#include "mercer/crammer_singer.hpp"
#include "mercer/pool.hpp"
#include "row_optimum.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rows between two looks at the clock.
constexpr Index rows_per_poll = 128;
// Rows that a thread takes at once when all are looked at.
constexpr Index rows_per_task = 512;
// A row becomes inactive that holds with more slack than this share of the largest violation.
constexpr double share_of_violation = 0.03;
// All rows are looked at once what the gap seems to be is this share of what it may be,
constexpr double seems_enough = 0.7;
// or has fallen to this share of what it was when they were last looked at.
constexpr double seems_better = 0.1;
// Passes in which the gap has to fall, to this share at least, else rounding rules or the problem is too badly
// conditioned; more of them where they take no time, as many as multiply so often.
constexpr Index idle_passes = 5000;
constexpr Index idle_products = 100'000'000;
constexpr double falls = 0.9;

template <class View>
class Descent {
 public:
  Descent(const View& X, const CrammerSingerProblem& problem, const LinearOptions& options, Stop& stop)
      : problem_(problem),
        options_(options),
        stop_(stop),
        random_(options.seed),
        weights_(X, problem.offsets, problem.classes),
        optimum_(problem.classes),
        rows_(X.rows),
        k_(problem.classes),
        stride_(padded_classes(problem.classes)),
        alpha_(X.rows * stride_),
        values_(static_cast<std::size_t>(stride_)),
        changes_(static_cast<std::size_t>(stride_)),
        next_(static_cast<std::size_t>(stride_)) {
    std::fill_n(alpha_.data(), alpha_.size(), 0.0);
    for (Index i = 0; i < rows_; ++i) norms_.push_back(weights_.squared_norm(i));
  }

  LinearSolution solve() {
    LinearSolution found;
    try {
      found.status = descend();
    } catch (const Stopped& stopped) {
      found.status = stopped.status;
    }
    found.steps = passes_;
    found.w = weights_.by_class();
    for (Index i = 0; i < rows_; ++i) found.coef.insert(found.coef.end(), alpha_of(i), alpha_of(i) + k_);
    return found;
  }

 private:
  Index label(Index i) const { return problem_.labels[static_cast<std::size_t>(i)]; }
  double bound(Index i) const { return problem_.bounds[static_cast<std::size_t>(i)]; }
  const double* alpha_of(Index i) const { return alpha_.data() + i * stride_; }

  // `values` has room for the values of the row, and has them afterwards.
  RowStanding standing(Index i, double* values) const {
    weights_.values_of(i, label(i), values);
    return standing_of(values, alpha_of(i), k_, label(i), bound(i));
  }

  Status descend() {
    std::vector<Index> all;
    for (Index i = 0; i < rows_; ++i)
      if (bound(i) > 0) all.push_back(i);
    if (!problem_.start.empty()) {
      for (const Index i : all) start_row(i);
      sum_up(all);
    }
    std::vector<Index> active = all;
    double slack = infinity, known = infinity, best = infinity;
    Index passes_at_best = 0, stored = 0;
    for (const Index i : all) stored += weights_.entries_of(i);
    const Index most_idle = std::max(idle_passes, idle_products / std::max<Index>(1, stored * k_));
    for (;;) {
      const bool is_all = active.size() == all.size();
      const RowStanding sum = pass(active, slack);
      slack = share_of_violation * sum.violation;
      const double primal = weights_.half_norm() + sum.loss + inactive_loss_;
      stop_.progress.violation = primal > 0 ? sum.gap / primal : 0.0;
      if (sum.gap < falls * best) {
        best = sum.gap;
        passes_at_best = passes_;
      }
      if (passes_ - passes_at_best > most_idle) return Status::stalled;
      if (known == infinity) known = sum.gap;
      if (sum.gap > std::max(seems_enough * options_.gap_tol * primal, seems_better * known)) continue;
      if (sum.gap <= seems_enough * options_.gap_tol * primal) sum_up(all);
      const Whole whole = look_at(all);
      if (whole.gap <= options_.gap_tol * whole.primal) return Status::solved;
      if (is_all && sum.violation <= 0) return Status::stalled;
      known = std::min(known, whole.gap);
      active.clear();
      inactive_loss_ = 0;
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (standings_[k].violation < -slack)
          inactive_loss_ += standings_[k].loss;
        else
          active.push_back(all[k]);
      }
    }
  }

  // Takes a step with every row of the list, in random order; those that held with more than some slack leave it. Sums
  // up how the rows stood; of their violations the largest counts.
  RowStanding pass(std::vector<Index>& list, double slack) {
    RowStanding sum;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      std::swap(list[k], list[k + random_() % (list.size() - k)]);
      const Index i = list[k];
      const RowStanding before = step(i);
      sum.loss += before.loss;
      sum.gap += before.gap;
      sum.violation = std::max(sum.violation, before.violation);
      if (before.violation < -slack)
        inactive_loss_ += before.loss;
      else
        list[kept++] = i;
      if (static_cast<Index>(k) % rows_per_poll == 0) stop_.poll();
    }
    list.resize(kept);
    ++passes_;
    stop_.progress.active_rows = static_cast<Index>(kept);
    stop_.count_steps(1);
    return sum;
  }

  // Moves a row to its optimum; says how it stood before.
  RowStanding step(Index i) {
    const RowStanding before = standing(i, values_.data());
    const double norm = norms_[static_cast<std::size_t>(i)];
    if (before.violation <= 0) return before;
    double* alpha = alpha_.data() + i * stride_;
    if (norm > 0) {
      for (Index m = 0; m < k_; ++m) values_[static_cast<std::size_t>(m)] -= norm * alpha[m];
      optimum_.find(values_.data(), label(i), bound(i), norm, next_.data());
    } else {  // its values stay as they are: all goes to the largest
      std::ranges::fill(next_, 0.0);
      next_[static_cast<std::size_t>(label(i))] = bound(i);
      next_[static_cast<std::size_t>(std::max_element(values_.data(), values_.data() + k_) - values_.data())] -=
          bound(i);
    }
    for (Index m = 0; m < k_; ++m) {
      const std::size_t at = static_cast<std::size_t>(m);
      changes_[at] = next_[at] - alpha[m];
      alpha[m] = next_[at];
    }
    weights_.add(i, changes_.data());
    return before;
  }

  // The feasible variables of a row next to those it starts from.
  void start_row(Index i) {
    const double* given = problem_.start.data() + i * k_;
    double* alpha = alpha_.data() + i * stride_;
    const Index y = label(i);
    double others = 0;
    for (Index m = 0; m < k_; ++m) {
      alpha[m] = m == y ? 0.0 : std::min(given[m], 0.0);
      others -= alpha[m];
    }
    if (others > bound(i))
      for (Index m = 0; m < k_; ++m) alpha[m] *= bound(i) / others;
    alpha[y] = std::min(others, bound(i));
  }

  struct Whole {
    double gap, primal;
  };

  // W from its definition, which sheds the rounding of the steps.
  void sum_up(const std::vector<Index>& list) {
    weights_.clear();
    for (const Index i : list) {
      const double* alpha = alpha_of(i);
      if (std::all_of(alpha, alpha + k_, [](double a) { return a == 0; })) continue;
      std::copy_n(alpha, k_, changes_.data());
      weights_.add(i, changes_.data());
    }
  }

  // How all rows stand at W.
  Whole look_at(const std::vector<Index>& list) {
    standings_.resize(list.size());
    const Index tasks = (static_cast<Index>(list.size()) + rows_per_task - 1) / rows_per_task;
    parallel_for(
        tasks, options_.threads,
        [&](Index task) {
          std::vector<double> values(static_cast<std::size_t>(stride_));
          const Index last = std::min<Index>((task + 1) * rows_per_task, static_cast<Index>(list.size()));
          for (Index k = task * rows_per_task; k < last; ++k) {
            const Index i = list[static_cast<std::size_t>(k)];
            standings_[static_cast<std::size_t>(k)] = standing(i, values.data());
          }
        },
        &stop_);
    Whole whole{0, weights_.half_norm()};
    for (const RowStanding& own : standings_) whole = {whole.gap + own.gap, whole.primal + own.loss};
    return whole;
  }

  const CrammerSingerProblem& problem_;
  const LinearOptions& options_;
  Stop& stop_;
  std::mt19937_64 random_;
  ClassWeights<View> weights_;
  RowOptimum optimum_;
  Index rows_, k_, stride_;
  Buffer<double> alpha_;                         // rows x classes, padded with zeros
  std::vector<double> norms_;                    // squared, with the offset
  std::vector<double> values_, changes_, next_;  // of a row
  std::vector<RowStanding> standings_;
  double inactive_loss_ = 0;
  Index passes_ = 0;
};

}  // namespace

LinearSolution solve_crammer_singer(const Matrix& X, const CrammerSingerProblem& problem, const LinearOptions& options,
                                    Stop& stop) {
  return std::visit(
      [&](const auto& view) { return Descent<std::decay_t<decltype(view)>>(view, problem, options, stop).solve(); }, X);
}

}  // namespace mercer
