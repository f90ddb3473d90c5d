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
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "linear/rows/narrow_rows.hpp"
#include "mercer/buffer.hpp"
#include "mercer/crammer_singer.hpp"
#include "mercer/pool.hpp"

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
// Passes in which the gap has to fall, to this share at least, else rounding rules or the problem is too badly
// conditioned; more of them where they take no time, as many as multiply so often.
constexpr Index idle_passes = 5000;
constexpr Index idle_products = 100'000'000;
constexpr double falls = 0.9;

// The classes of a row are looked at in lanes, which are padded with a value that is never the largest.
constexpr Index lanes_at_once = 4;
constexpr double never_largest = -1e300;

// The dual variables of a row that minimise 1/2 norm |a|^2 + B . a where they add up to zero, that of class y is at
// most C, and those of the others at most zero: a_m = min(bound_m, (level - B_m) / norm). The level rests on the
// classes with the largest keys B + norm * bound, which are taken one by one; it is no lower than the largest key less
// norm * C, so that few come into question. Only differences of B matter, and they are taken to the largest: norm * C
// may be next to nothing beside B. It may also be huge, so that it is left out of sums in which it cancels. B is
// overwritten, and `places` is for use.
void best_alpha(double* B, Index classes, Index y, double C, double norm, Index* places, double* alpha) {
  double largest = B[0];
  for (Index m = 1; m < classes; ++m) largest = std::max(largest, B[m]);
  for (Index m = 0; m < classes; ++m) B[m] -= largest;
  const double own = B[y], least = std::max(-norm * C, own);
  B[y] += norm * C;
  Index count = 0;
  for (Index m = 0; m < classes; ++m) {
    places[count] = m;
    count += B[m] >= least;
  }
  double sum = 0, level = least, outside = norm * C;  // which is subtracted until class y is taken
  for (Index taken = 0; taken < count; ++taken) {
    Index next = taken;
    for (Index k = taken + 1; k < count; ++k) next = B[places[k]] > B[places[next]] ? k : next;
    std::swap(places[taken], places[next]);
    const Index m = places[taken];
    if (sum - outside >= static_cast<double>(taken) * B[m] && taken > 0) break;
    sum += m == y ? own : B[m];
    if (m == y) outside = 0;
    level = (sum - outside) / static_cast<double>(taken + 1);
  }
  // That of y is what the others leave, so that they add up to zero however they were rounded.
  std::fill_n(alpha, classes, 0.0);
  double others = 0;
  for (Index k = 0; k < count; ++k) {
    const Index m = places[k];
    if (m == y) continue;
    alpha[m] = std::clamp((level - B[m]) / norm, -C, 0.0);
    others -= alpha[m];
  }
  if (others > C)
    for (Index m = 0; m < classes; ++m) alpha[m] *= C / others;
  alpha[y] = std::min(C, others);
}

template <class View>
class Descent {
 public:
  Descent(const View& X, const CrammerSingerProblem& problem, const LinearOptions& options, Stop& stop)
      : X_(X),
        rows_(X.rows),
        features_(X.cols),
        problem_(problem),
        options_(options),
        stop_(stop),
        random_(options.seed),
        offset_(problem.offsets.count > 0 ? problem.offsets.value : 0.0),
        k_(problem.classes),
        stride_((problem.classes + lanes_at_once - 1) / lanes_at_once * lanes_at_once),
        W_((X.cols + 1) * stride_),
        alpha_(X.rows * stride_),
        norms_(static_cast<std::size_t>(X.rows)),
        values_(static_cast<std::size_t>(stride_)),
        changes_(static_cast<std::size_t>(stride_)),
        next_(static_cast<std::size_t>(stride_)),
        places_(static_cast<std::size_t>(stride_)) {
    std::fill_n(W_.data(), W_.size(), 0.0);
    std::fill_n(alpha_.data(), alpha_.size(), 0.0);
    for (Index i = 0; i < rows_; ++i) {
      double sum = offset_ * offset_;
      X_[i].each([&](Index, double x) { sum += x * x; });
      norms_[static_cast<std::size_t>(i)] = sum;
    }
  }

  LinearSolution solve() {
    LinearSolution found;
    try {
      found.status = descend();
    } catch (const Stopped& stopped) {
      found.status = stopped.status;
    }
    found.steps = passes_;
    const Index cols = features_ + (problem_.offsets.count);
    found.w.resize(static_cast<std::size_t>(k_ * cols));
    for (Index m = 0; m < k_; ++m)
      for (Index j = 0; j < cols; ++j) found.w[static_cast<std::size_t>(m * cols + j)] = W_[j * stride_ + m];
    for (Index i = 0; i < rows_; ++i) found.coef.insert(found.coef.end(), alpha_of(i), alpha_of(i) + k_);
    return found;
  }

 private:
  // What a row has at some W: its loss, its share of the duality gap, and how far its optimality condition fails (or,
  // below zero, with how much slack it holds).
  struct Standing {
    double loss, gap, violation;
  };

  Index label(Index i) const { return problem_.labels[static_cast<std::size_t>(i)]; }
  const double* alpha_of(Index i) const { return alpha_.data() + i * stride_; }
  double bound(Index i) const { return problem_.bounds[static_cast<std::size_t>(i)]; }

  // values[m] = e_m + f_m, padded.
  void values_of(Index i, double* values) const {
    std::fill_n(values, stride_, 0.0);
    X_[i].add_values(W_.data(), stride_, values);
    const double* of_offset = W_.data() + features_ * stride_;
    const Index y = label(i);
    const double own = values[y] + offset_ * of_offset[y];
    for (Index m = 0; m < k_; ++m) values[m] += offset_ * of_offset[m] + 1;
    values[y] = own;
    std::fill(values + k_, values + stride_, never_largest);
  }

  Standing standing(Index i, const double* values) const {
    const Index y = label(i);
    const double* alpha = alpha_of(i);
    double largests[lanes_at_once], products[lanes_at_once];
    double lowests[lanes_at_once];  // of the classes whose variables may grow
    std::ranges::fill(largests, never_largest);
    std::ranges::fill(products, 0.0);
    std::ranges::fill(lowests, infinity);
    for (Index first = 0; first < stride_; first += lanes_at_once)
      for (Index v = 0; v < lanes_at_once; ++v) {
        const double f = values[first + v], a = alpha[first + v], grows = a < 0 ? f : infinity;
        products[v] += a * f;
        largests[v] = largests[v] < f ? f : largests[v];
        lowests[v] = grows < lowests[v] ? grows : lowests[v];
      }
    const double largest = std::ranges::max(largests);
    const double lowest = std::min(std::ranges::min(lowests), alpha[y] < bound(i) ? values[y] : infinity);
    const double loss = bound(i) * (largest - values[y]);
    const double gap = loss + ((products[0] + products[1]) + (products[2] + products[3]));
    return {loss, gap, largest > lowest ? largest - lowest : second_largest(values) - lowest};
  }

  // As large as the largest where two are.
  double second_largest(const double* values) const {
    double first = -infinity, second = -infinity;
    for (Index m = 0; m < k_; ++m) {
      second = std::max(second, std::min(first, values[m]));
      first = std::max(first, values[m]);
    }
    return second;
  }

  // Moves a row to its optimum; says how it stood before.
  Standing step(Index i) {
    values_of(i, values_.data());
    const Standing before = standing(i, values_.data());
    const double norm = norms_[static_cast<std::size_t>(i)];
    if (before.violation <= 0) return before;
    double* alpha = alpha_.data() + i * stride_;
    if (norm > 0) {
      for (Index m = 0; m < k_; ++m) values_[static_cast<std::size_t>(m)] -= norm * alpha[m];
      best_alpha(values_.data(), k_, label(i), bound(i), norm, places_.data(), next_.data());
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
    add(i, changes_.data());
    return before;
  }

  void add(Index i, const double* coef) {
    X_[i].add_outer_to(W_.data(), stride_, coef);
    double* of_offset = W_.data() + features_ * stride_;
    for (Index m = 0; m < k_; ++m) of_offset[m] += offset_ * coef[m];
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
    if (!problem_.start.empty()) {
      for (const Index i : all) start_row(i);
      sum_up(all);
    }
    std::vector<Index> awake = all;
    double slack = infinity, known = infinity, best = infinity;
    Index passes_at_best = 0, stored = 0;
    for (const Index i : all) stored += X_[i].count + 1;
    const Index most_idle = std::max(idle_passes, idle_products / std::max<Index>(1, stored * k_));
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
      if (passes_ - passes_at_best > most_idle) return Status::stalled;
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
    std::fill_n(W_.data(), W_.size(), 0.0);
    for (const Index i : list) {
      const double* alpha = alpha_of(i);
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

  NarrowRows<View> X_;
  Index rows_, features_;
  const CrammerSingerProblem& problem_;
  const LinearOptions& options_;
  Stop& stop_;
  std::mt19937_64 random_;
  double offset_;
  Index k_, stride_;
  Buffer<double> W_;           // columns x classes, padded with zeros; the last row is that of the offset
  Buffer<double> alpha_;       // rows x classes
  std::vector<double> norms_;  // squared, with the offset
  std::vector<double> values_, changes_, next_;
  std::vector<Index> places_;
  std::vector<Standing> standings_;
  double asleep_loss_ = 0;
  Index passes_ = 0;
};

}  // namespace

LinearSolution solve_crammer_singer(const Matrix& X, const CrammerSingerProblem& problem, const LinearOptions& options,
                                    Stop& stop) {
  return std::visit(
      [&](const auto& view) { return Descent<std::decay_t<decltype(view)>>(view, problem, options, stop).solve(); }, X);
}

}  // namespace mercer
