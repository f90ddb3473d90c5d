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
// W stands feature by feature with the classes side by side, so that the values of a row for all classes are one loop.
// Rows that rest with slack are left out until the others have settled.
#include "mercer/crammer_singer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "mercer/buffer.hpp"
#include "mercer/pool.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rows between two looks at the clock.
constexpr Index rows_a_poll = 128;
// Rows that are summed together when all are looked at.
constexpr Index rows_a_share = 512;
// A row sleeps that holds with more slack than this share of the largest violation.
constexpr double share_of_violation = 0.03;
// All rows are looked at once what the gap seems to be is this share of what it may be,
constexpr double seems_enough = 0.7;
// or has fallen to this share of what it was when they were last looked at.
constexpr double seems_better = 0.1;
// Passes in which the gap has to fall, to this share at least; else rounding rules.
constexpr Index most_idle_passes = 5000;
constexpr double falls = 0.9;

// The dual variables of a row that minimise 1/2 norm |a|^2 + B . a where they add up to zero, that of class y is at
// most C, and those of the others at most zero: a_m = min(bound_m, (level - B_m) / norm). The level rests on the
// classes with the largest B + norm * bound, which are taken one by one. Only differences of B matter; they are taken
// to the largest, beside which norm * C may be next to nothing. B is overwritten.
void best_alpha(double* B, Index classes, Index y, double C, double norm, double* keys, double* alpha) {
  const double largest = *std::max_element(B, B + classes);
  for (Index m = 0; m < classes; ++m) B[m] -= largest;
  std::copy_n(B, classes, keys);
  keys[y] += norm * C;
  double sum = -norm * C, level = 0;
  for (Index count = 1; count <= classes; ++count) {
    Index next = 0;
    for (Index m = 1; m < classes; ++m) next = keys[m] > keys[next] ? m : next;
    if (count > 1 && sum >= static_cast<double>(count - 1) * keys[next]) break;
    sum += keys[next];
    level = sum / static_cast<double>(count);
    keys[next] = -infinity;
  }
  // That of y is what the others leave, so that they add up to zero however they were rounded.
  double others = 0;
  for (Index m = 0; m < classes; ++m) {
    alpha[m] = m == y ? 0.0 : std::clamp((level - B[m]) / norm, -C, 0.0);
    others -= alpha[m];
  }
  if (others > C)
    for (Index m = 0; m < classes; ++m) alpha[m] *= C / others;
  alpha[y] = std::min(C, others);
}

// A row as the loops take it.
template <class T>
struct RowView {
  const T* values;
  const std::int32_t* columns;  // null: dense
  Index count;
};

template <class T>
class DenseRows {
 public:
  using Value = T;
  explicit DenseRows(const Dense<T>& X) : X_(X) {}
  RowView<T> row(Index i) const { return {X_.row(i), nullptr, X_.cols}; }

 private:
  Dense<T> X_;
};

// Column numbers in 32 bits: those of the matrix, or a copy.
template <class T, class I>
class SparseRows {
 public:
  using Value = T;
  explicit SparseRows(const Csr<T, I>& X) : X_(X) {
    if constexpr (sizeof(I) > sizeof(std::int32_t))
      narrow_.assign(X.indices + X.indptr[0], X.indices + X.indptr[X.rows]);
  }
  RowView<T> row(Index i) const {
    const Index first = X_.indptr[i], count = X_.indptr[i + 1] - first;
    if constexpr (sizeof(I) > sizeof(std::int32_t))
      return {X_.values + first, narrow_.data() + (first - X_.indptr[0]), count};
    else
      return {X_.values + first, X_.indices + first, count};
  }

 private:
  Csr<T, I> X_;
  std::vector<std::int32_t> narrow_;
};

template <class T>
DenseRows<T> rows_view(const Dense<T>& X) {
  return DenseRows<T>(X);
}
template <class T, class I>
SparseRows<T, I> rows_view(const Csr<T, I>& X) {
  return SparseRows<T, I>(X);
}

template <class Rows>
class Descent {
 public:
  using T = typename Rows::Value;

  Descent(Rows X, Index rows, Index features, const CrammerSingerProblem& problem, const CrammerSingerOptions& options,
          Stop& stop)
      : X_(std::move(X)),
        rows_(rows),
        features_(features),
        problem_(problem),
        options_(options),
        stop_(stop),
        random_(options.seed),
        k_(problem.classes),
        stride_((problem.classes + 3) / 4 * 4),
        W_((features + 1) * stride_),
        alpha_(rows * k_),
        norms_(static_cast<std::size_t>(rows)),
        values_(static_cast<std::size_t>(stride_)),
        changes_(static_cast<std::size_t>(stride_)),
        next_(static_cast<std::size_t>(stride_)),
        keys_(static_cast<std::size_t>(stride_)) {
    std::fill_n(W_.data(), W_.size(), 0.0);
    std::fill_n(alpha_.data(), alpha_.size(), 0.0);
    for (Index i = 0; i < rows; ++i) {
      const RowView<T> x = X_.row(i);
      double sum = problem.offset * problem.offset;
      for (Index e = 0; e < x.count; ++e) sum += static_cast<double>(x.values[e]) * static_cast<double>(x.values[e]);
      norms_[static_cast<std::size_t>(i)] = sum;
    }
  }

  CrammerSingerSolution solve() {
    CrammerSingerSolution found;
    try {
      found.status = descend();
    } catch (const Stopped& stopped) {
      found.status = stopped.status;
    }
    found.steps = passes_;
    const Index cols = features_ + (problem_.offset != 0 ? 1 : 0);
    found.W.resize(static_cast<std::size_t>(k_ * cols));
    for (Index m = 0; m < k_; ++m)
      for (Index j = 0; j < cols; ++j) found.W[static_cast<std::size_t>(m * cols + j)] = W_[j * stride_ + m];
    found.alpha.assign(alpha_.data(), alpha_.data() + alpha_.size());
    return found;
  }

 private:
  // What a row has at some W: its loss, its share of the duality gap, and how far its optimality condition fails (or,
  // below zero, with how much slack it holds).
  struct Standing {
    double loss, gap, violation;
  };

  Index label(Index i) const { return problem_.labels[static_cast<std::size_t>(i)]; }
  double bound(Index i) const { return problem_.bounds[static_cast<std::size_t>(i)]; }

  // values[m] = e_m + f_m, padded.
  void values_of(Index i, double* values) const {
    std::fill_n(values, stride_, 0.0);
    const RowView<T> x = X_.row(i);
    ops<T>().add_rows(x.values, x.columns, x.count, W_.data(), stride_, values);
    const double* of_offset = W_.data() + features_ * stride_;
    const Index y = label(i);
    for (Index m = 0; m < k_; ++m) values[m] += problem_.offset * of_offset[m] + (m == y ? 0.0 : 1.0);
  }

  Standing standing(Index i, const double* values) const {
    const Index y = label(i);
    const double* alpha = alpha_.data() + i * k_;
    double largest = -infinity, product = 0;
    double lowest = infinity;  // of the classes whose variables may grow
    for (Index m = 0; m < k_; ++m) {
      product += alpha[m] * values[m];
      largest = std::max(largest, values[m]);
      lowest = std::min(lowest, alpha[m] < 0 ? values[m] : infinity);
    }
    if (alpha[y] < bound(i)) lowest = std::min(lowest, values[y]);
    const double loss = bound(i) * (largest - values[y]);
    if (largest > lowest) return {loss, loss + product, largest - lowest};
    double others = -infinity;
    bool is_first = true;
    for (Index m = 0; m < k_; ++m) {
      if (values[m] == lowest && is_first)
        is_first = false;
      else
        others = std::max(others, values[m]);
    }
    return {loss, loss + product, others - lowest};
  }

  // Moves a row to its optimum; says how it stood before.
  Standing step(Index i) {
    values_of(i, values_.data());
    const Standing before = standing(i, values_.data());
    const double norm = norms_[static_cast<std::size_t>(i)];
    if (before.violation <= 0) return before;
    double* alpha = alpha_.data() + i * k_;
    if (norm > 0) {
      for (Index m = 0; m < k_; ++m) values_[static_cast<std::size_t>(m)] -= norm * alpha[m];
      best_alpha(values_.data(), k_, label(i), bound(i), norm, keys_.data(), next_.data());
    } else {  // its values stay as they are: all goes to the largest
      std::ranges::fill(next_, 0.0);
      next_[static_cast<std::size_t>(label(i))] = bound(i);
      next_[static_cast<std::size_t>(std::max_element(values_.data(), values_.data() + k_) - values_.data())] -=
          bound(i);
    }
    bool moves = false;
    for (Index m = 0; m < k_; ++m) {
      const std::size_t at = static_cast<std::size_t>(m);
      changes_[at] = next_[at] - alpha[m];
      moves = moves || changes_[at] != 0;
      alpha[m] = next_[at];
    }
    if (moves) add(i, changes_.data());
    return before;
  }

  void add(Index i, const double* coef) {
    const RowView<T> x = X_.row(i);
    ops<T>().add_outer(x.values, x.columns, x.count, coef, stride_, W_.data());
    double* of_offset = W_.data() + features_ * stride_;
    for (Index m = 0; m < k_; ++m) of_offset[m] += problem_.offset * coef[m];
  }

  // Takes a step with every row of the list, in random order; those that held with more than some slack leave it. Sums
  // up how the rows stood; of their violations the largest counts.
  Standing pass(std::vector<Index>& list, double slack) {
    Standing sum{0, 0, 0};
    std::size_t kept = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      std::swap(list[k], list[k + random_() % (list.size() - k)]);
      const Index i = list[k];
      const Standing before = step(i);
      sum.loss += before.loss;
      sum.gap += before.gap;
      sum.violation = std::max(sum.violation, before.violation);
      if (before.violation < -slack)
        asleep_loss_ += before.loss;
      else
        list[kept++] = i;
      if (static_cast<Index>(k) % rows_a_poll == 0) stop_.poll();
    }
    list.resize(kept);
    ++passes_;
    stop_.progress.active_rows = static_cast<Index>(kept);
    stop_.count_steps(1);
    return sum;
  }

  Status descend() {
    std::vector<Index> all;
    for (Index i = 0; i < rows_; ++i)
      if (bound(i) > 0) all.push_back(i);
    std::vector<Index> awake = all;
    double slack = infinity, known = infinity, best = infinity;
    Index passes_at_best = 0;
    for (;;) {
      const bool is_all = awake.size() == all.size();
      const Standing sum = pass(awake, slack);
      slack = share_of_violation * sum.violation;
      const double primal = half_norm() + sum.loss + asleep_loss_;
      stop_.progress.violation = primal > 0 ? sum.gap / primal : 0.0;
      if (sum.gap < falls * best) {
        best = sum.gap;
        passes_at_best = passes_;
      }
      if (passes_ - passes_at_best > most_idle_passes) return Status::stalled;
      if (known == infinity) known = sum.gap;
      if (sum.gap > std::max(seems_enough * options_.gap_tol * primal, seems_better * known)) continue;
      if (sum.gap <= seems_enough * options_.gap_tol * primal) sum_up(all);
      const Whole whole = look_at(all);
      if (whole.gap <= options_.gap_tol * whole.primal) return Status::solved;
      if (is_all && sum.violation <= 0) return Status::stalled;
      known = std::min(known, whole.gap);
      awake.clear();
      asleep_loss_ = 0;
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (standings_[k].violation < -slack)
          asleep_loss_ += standings_[k].loss;
        else
          awake.push_back(all[k]);
      }
    }
  }

  struct Whole {
    double gap, primal;
  };

  // W from its definition, which sheds the rounding of the steps.
  void sum_up(const std::vector<Index>& list) {
    std::fill_n(W_.data(), W_.size(), 0.0);
    for (const Index i : list) {
      const double* alpha = alpha_.data() + i * k_;
      if (std::all_of(alpha, alpha + k_, [](double a) { return a == 0; })) continue;
      std::copy_n(alpha, k_, changes_.data());
      add(i, changes_.data());
    }
  }

  // How all rows stand at W.
  Whole look_at(const std::vector<Index>& list) {
    standings_.resize(list.size());
    const Index shares = (static_cast<Index>(list.size()) + rows_a_share - 1) / rows_a_share;
    parallel_for(
        shares, options_.threads,
        [&](Index share) {
          std::vector<double> values(static_cast<std::size_t>(stride_));
          const Index last = std::min<Index>((share + 1) * rows_a_share, static_cast<Index>(list.size()));
          for (Index k = share * rows_a_share; k < last; ++k) {
            const Index i = list[static_cast<std::size_t>(k)];
            values_of(i, values.data());
            standings_[static_cast<std::size_t>(k)] = standing(i, values.data());
          }
        },
        &stop_);
    Whole whole{0, half_norm()};
    for (const Standing& own : standings_) whole = {whole.gap + own.gap, whole.primal + own.loss};
    return whole;
  }

  double half_norm() const {
    double sum = 0;
    for (Index j = 0; j < W_.size(); ++j) sum += W_[j] * W_[j];
    return 0.5 * sum;
  }

  Rows X_;
  Index rows_, features_;
  const CrammerSingerProblem& problem_;
  const CrammerSingerOptions& options_;
  Stop& stop_;
  std::mt19937_64 random_;
  Index k_, stride_;
  Buffer<double> W_;           // columns x classes, padded with zeros; the last row is that of the offset
  Buffer<double> alpha_;       // rows x classes
  std::vector<double> norms_;  // squared, with the offset
  std::vector<double> values_, changes_, next_, keys_;
  std::vector<Standing> standings_;
  double asleep_loss_ = 0;
  Index passes_ = 0;
};

}  // namespace

CrammerSingerSolution solve_crammer_singer(const Matrix& X, const CrammerSingerProblem& problem,
                                           const CrammerSingerOptions& options, Stop& stop) {
  return std::visit(
      [&](const auto& view) {
        auto rows = rows_view(view);
        return Descent<decltype(rows)>(std::move(rows), view.rows, view.cols, problem, options, stop).solve();
      },
      X);
}

}  // namespace mercer
