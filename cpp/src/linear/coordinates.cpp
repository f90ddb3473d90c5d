// Dual coordinate descent with shrinking.
//
// Solves       the problem of linear_problem.hpp with offsets that are part of w, or without any
// Given        the rows, the losses, tolerances, a seed
// Returns      w with its offset, and the dual variables
// Stops when   the duality gap is within its tolerance, and the optimality conditions are if that is asked for
// See          Hsieh, Chang, Lin, Keerthi, Sundararajan (2008), A dual coordinate descent method for large-scale linear
//              SVM; Ho, Lin (2012), Large-scale linear support vector regression
#include <algorithm>
#include <cmath>
#include <random>

#include "linear/rows/chosen_rows.hpp"
#include "mercer/linear.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The gap is looked at once the rows at work violate by no more than this share of the unit, which then falls.
constexpr double first_violation = 0.1;
constexpr double tightening = 0.2;
// Rows between two looks at the clock.
constexpr Index rows_between_polls = 1 << 12;
// A problem that so many passes have not solved is one for Newton's steps.
constexpr Index most_passes = 1000;

// A row's loss and where it is: rows come in a random order, so that what belongs together stands together.
struct Coordinate {
  double slope, lower, upper, kink, ridge;
  double curvature;  // of the objective along it
  double coef = 0;

  // What a larger or a smaller coefficient would gain: positive where the row violates, negative where it rests.
  double gain(double pull) const {
    const double up = coef < upper ? pull + (coef < 0 ? kink : -kink) : -infinity;
    const double down = coef > lower ? -pull + (coef > 0 ? kink : -kink) : -infinity;
    return std::max(up, down);
  }
  // The best coefficient where the derivative is `pull` but for the kink.
  double best(double pull) const {
    if (!(curvature > 0)) return pull > 0 ? upper : lower;
    const double aim = coef + pull / curvature, threshold = kink / curvature;
    const double soft = aim > threshold ? aim - threshold : aim < -threshold ? aim + threshold : 0.0;
    return std::clamp(soft, lower, upper);
  }
};

template <class View>
class Coordinates {
 public:
  Coordinates(const View& X, const LinearProblem& problem, const LinearOptions& options, Stop& stop)
      : rows_(X, problem.rows, problem.offsets),
        offset_(rows_.offset()),
        problem_(problem),
        options_(options),
        stop_(stop),
        random_(options.seed),
        size_(static_cast<Index>(problem_.slope.size())),
        w_(static_cast<std::size_t>(X.cols + 1), 0.0),
        coordinates_(problem_.slope.size()),
        active_(problem_.slope.size()) {
    for (Index i = 0; i < size_; ++i) {
      Coordinate& own = coordinates_[at(i)];
      own.slope = problem_.slope[at(i)];
      own.lower = problem_.lower[at(i)];
      own.upper = problem_.upper[at(i)];
      own.kink = problem_.kink.empty() ? 0.0 : problem_.kink[at(i)];
      own.ridge = problem_.weight.empty() ? 0.0 : 1 / problem_.weight[at(i)];
      own.curvature = offset_ * offset_ + own.ridge;
      rows_[i].each([&](Index, double x) { own.curvature += x * x; });
      active_[at(i)] = static_cast<std::int32_t>(i);
      if (!problem_.start.empty()) move(i, std::clamp(problem_.start[at(i)], own.lower, own.upper));
    }
  }

  LinearSolution solve() {
    LinearSolution found;
    try {
      found.status = descend();
    } catch (const Stopped& stopped) {
      found.status = stopped.status;
    }
    if (offset_ == 0) w_.pop_back();
    found.w = std::move(w_);
    for (const Coordinate& own : coordinates_) found.coef.push_back(own.coef);
    found.steps = passes_;
    return found;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  double value(Index i) const { return rows_[i].dot(w_.data()) + offset_ * w_.back(); }

  void move(Index i, double to) {
    Coordinate& own = coordinates_[at(i)];
    const double by = to - own.coef;
    if (by == 0) return;
    rows_[i].add_to(w_.data(), by);
    w_.back() += by * offset_;
    own.coef = to;
  }

  // A whole number below `bound`, which 32 bits hold.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>((random_() >> 32) * bound >> 32); }

  Status descend() {
    double target = first_violation * problem_.unit, last = infinity;
    while (passes_ < most_passes) {
      const double worst = pass(last);
      ++passes_;
      stop_.progress.violation = worst;
      stop_.progress.active_rows = static_cast<Index>(active_.size());
      stop_.count_steps(1);
      last = worst > 0 ? worst : infinity;
      if (worst > target) continue;
      if (static_cast<Index>(active_.size()) < size_) {
        // Inactive rows may violate by now.
        active_.resize(problem_.slope.size());
        for (Index i = 0; i < size_; ++i) active_[at(i)] = static_cast<std::int32_t>(i);
        last = infinity;
      }
      if (is_reached()) return Status::solved;
      target *= tightening;
      if (target < problem_.unit * std::numeric_limits<double>::epsilon()) break;
    }
    return Status::stalled;
  }

  // Steps in every active row once; returns the largest violation that was met on the way.
  double pass(double last) {
    double worst = 0;
    std::size_t count = active_.size();
    for (std::size_t k = 0; k < count; ++k) std::swap(active_[k], active_[k + below(count - k)]);
    for (std::size_t k = 0; k < count;) {
      const Index i = active_[k];
      const Coordinate& own = coordinates_[at(i)];
      if (k % rows_between_polls == 0) stop_.poll();
      if (k + 1 < count) {
        rows_[active_[k + 1]].prefetch();
        __builtin_prefetch(&coordinates_[at(active_[k + 1])]);
      }
      const double pull = own.slope - value(i) - own.ridge * own.coef;
      const double gained = own.gain(pull);
      if (gained < -last) {
        std::swap(active_[k], active_[--count]);
        continue;
      }
      ++k;
      if (gained <= 0) continue;
      worst = std::max(worst, gained);
      move(i, own.best(pull));
    }
    active_.resize(count);
    return worst;
  }

  bool is_reached() {
    double of_loss = 0, of_coef = 0, violation_up = 0, norm = 0;
    for (Index i = 0; i < size_; ++i) {
      if (i % rows_between_polls == 0) stop_.poll();
      const Coordinate& own = coordinates_[at(i)];
      const double r = own.slope - value(i), c = own.coef, k = own.kink;
      const double excess = r > k ? r - k : r < -k ? r + k : 0.0;
      double best = 0;
      if (excess != 0) {
        best = own.ridge > 0 ? excess / own.ridge : excess * infinity;
        best = std::clamp(best, own.lower, own.upper);
      }
      if (best != 0) of_loss += best * r - k * std::abs(best) - 0.5 * own.ridge * best * best;
      of_coef += c * own.slope - k * std::abs(c) - 0.5 * own.ridge * c * c;
      violation_up = std::max(violation_up, own.gain(r - own.ridge * c));
    }
    for (const double x : w_) norm += x * x;
    const double primal = 0.5 * norm + of_loss, dual = of_coef - 0.5 * norm;
    return primal - dual <= options_.gap_tol * std::abs(primal) && violation_up <= options_.tol;
  }

  ChosenRows<View> rows_;
  double offset_;
  const LinearProblem& problem_;
  const LinearOptions& options_;
  Stop& stop_;
  std::mt19937_64 random_;
  Index size_;
  std::vector<double> w_;  // with a place for the offset
  std::vector<Coordinate> coordinates_;
  std::vector<std::int32_t> active_;
  Index passes_ = 0;
};

}  // namespace

LinearSolution solve_by_coordinates(const Matrix& X, const LinearProblem& problem, const LinearOptions& options,
                                    Stop& stop) {
  return std::visit(
      [&](const auto& view) { return Coordinates<std::decay_t<decltype(view)>>(view, problem, options, stop).solve(); },
      X);
}

}  // namespace mercer
