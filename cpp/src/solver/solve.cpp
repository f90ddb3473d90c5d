// Solves      the box QP of box_qp.hpp
// Given       a Gram matrix that serves blocks, products and exact products
// Returns     the dual variables and the violation of all rows, recomputed in float64 where `verify` is on or rows
// rested Stops when  that violation is within tol (and the relative gap within gap_tol), or as the status says See
// Joachims (1998), Making large-scale SVM learning practical; Fan, Chen, Lin (2005)
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/solver.hpp"
#include "newton_steps.hpp"
#include "pair_steps.hpp"
#include "working_set.hpp"

namespace mercer {
namespace {

// A block is solved to this share of the violation it came with: less would repeat the work of the next block.
constexpr double inner_share = 0.1;
// Rows are set aside once at least this share of the active ones can rest.
constexpr double worth_shrinking = 0.25;
// Progress is asked to shrink the violation by this factor within a window of steps; else rounding has the better of
// it.
constexpr double least_progress = 0.9;
constexpr Index window_steps = 1'000'000;
constexpr Index window_steps_a_row = 100;
// Ordinary problems settle a block within a tenth of this.
constexpr Index steps_before_newton = 10'000;
constexpr Index steps_before_newton_a_row = 50;
// Leaves room for the rounding of values that nobody verifies here, and of the certificate.
constexpr double unverified_share = 0.95;
// How often the float64 violation may fail to halve before the solver gives up.
constexpr int verifications_without_progress = 3;

template <class T>
class Solver {
 public:
  Solver(const BoxQp& qp, Gram<T>& gram, const SolverOptions& options, Stop& stop)
      : gram_(gram), options_(options), stop_(stop), all_(start_state(qp)), signs_(qp.signs) {
    gram.diagonal(all_.diagonal.data());
  }

  Solution run() {
    try {
      verify();
      double target = options_.verify ? options_.tol : unverified_share * options_.tol;
      int fruitless = 0;
      while (!satisfied()) {
        const double before = solution_.violation;
        descend(target);
        if (!options_.verify && active_.size() == all_.coef.size()) {
          trust_running_values();
          if (satisfied()) break;
        }
        verify();
        if (satisfied()) break;
        fruitless = solution_.violation < 0.5 * before ? 0 : fruitless + 1;
        if (fruitless == verifications_without_progress) throw Stopped(Status::stalled);
        target = 0.5 * std::min(target, solution_.violation);
      }
    } catch (const Stopped& stopped) {
      save();
      solution_.status = stopped.status;
    }
    solution_.steps = stop_.progress.steps;
    for (std::size_t i = 0; i < all_.coef.size(); ++i) solution_.alpha.push_back(signs_[i] * all_.coef[i]);
    return std::move(solution_);
  }

 private:
  // Activates all rows, with their values computed anew in float64.
  void verify() {
    save();
    if (std::ranges::all_of(all_.coef, [](double c) { return c == 0; })) {
      all_.values = all_.slope;
    } else {
      gram_.exact_product(all_.coef, all_.values.data(), stop_);
      for (std::size_t i = 0; i < all_.values.size(); ++i) all_.values[i] = all_.slope[i] - all_.values[i];
    }
    std::vector<Index> rows(all_.coef.size());
    std::iota(rows.begin(), rows.end(), Index(0));
    activate(std::move(rows));
    solution_.violation = extremes(all_).violation();
  }

  void trust_running_values() {
    all_.coef = state_.coef;
    all_.values = state_.values;
    solution_.violation = extremes(all_).violation();
  }

  bool satisfied() const {
    if (solution_.violation > options_.tol) return false;
    if (options_.gap_tol <= 0) return true;
    const Objective value = objective(all_);
    const double size = std::max(std::abs(value.dual), std::abs(value.dual + value.gap));
    return value.gap <= unverified_share * options_.gap_tol * size;
  }

  // Takes working sets until the violation of the active rows is at most `target`.
  void descend(double target) {
    std::vector<Index> set;
    double best = std::numeric_limits<double>::infinity();
    Index steps_at_best = stop_.progress.steps;
    for (;;) {
      const double violation = extremes(state_).violation();
      stop_.progress.violation = violation;
      if (violation <= target) return;
      if (violation < least_progress * best) {
        best = violation;
        steps_at_best = stop_.progress.steps;
      }
      const Index window = window_steps + window_steps_a_row * state_.size();
      if (stop_.progress.steps - steps_at_best > window) throw Stopped(Status::stalled);
      check_margin();
      if (options_.shrinking && shrink()) set.clear();

      const Index steps =
          state_.size() <= options_.whole_block ? solve_whole(target) : solve_working_set(set, violation, target);
      stop_.count_steps(steps);
      stop_.poll();
      if (steps == 0) return;  // no step changes anything: the float64 values decide
    }
  }

  // All active rows as one block.
  Index solve_whole(double target) {
    if (!whole_block_) {
      block_ = Buffer<T>(state_.size() * state_.size());
      std::vector<Index> rows(state_.coef.size());
      std::iota(rows.begin(), rows.end(), Index(0));
      gram_.block(rows, block_.data(), stop_);
      whole_block_ = true;
    }
    return descend_in_block(state_, target);
  }

  Index solve_working_set(std::vector<Index>& set, double violation, double target) {
    set = choose_working_set(state_, set, working_set_size());
    const auto q = static_cast<Index>(set.size());
    if (block_.size() < q * q) block_ = Buffer<T>(q * q);
    gram_.block(set, block_.data(), stop_);

    State part = restricted(state_, set);
    const double tol = std::max(inner_share * violation, 0.5 * target);
    const Index steps = descend_in_block(part, tol);

    std::vector<Index> changed;
    std::vector<double> change;
    for (std::size_t k = 0; k < set.size(); ++k) {
      double& coef = state_.coef[State::at(set[k])];
      if (part.coef[k] == coef) continue;
      changed.push_back(set[k]);
      change.push_back(coef - part.coef[k]);  // values fall as coefficients grow
      coef = part.coef[k];
    }
    gram_.add_product(changed, change, state_.values.data(), stop_);
    return steps;
  }

  // Room for the free rows and half as many others: a set without room for them trades free rows for free rows.
  Index working_set_size() const {
    Index free = 0;
    for (Index i = 0; i < state_.size(); ++i) free += state_.free(i);
    return std::min(std::max(free + free / 2, options_.working_set), options_.largest_working_set);
  }

  // Pairs find out who is free and who is not; where they take long to settle the free ones, Newton steps do.
  Index descend_in_block(State& state, double tol) {
    const Index allowed = std::min(stop_.steps_left(), steps_before_newton + steps_before_newton_a_row * state.size());
    const Index steps = descend_by_pairs(state, PairSteps<T>{block_.data(), tol, allowed}, stop_);
    if (steps == allowed && steps < stop_.steps_left()) descend_by_newton(state, block_.data(), 0.1 * tol, stop_);
    return steps;
  }

  // Sets aside the rows that can rest; true where it did.
  bool shrink() {
    if (state_.size() <= options_.whole_block) return false;
    const std::vector<Index> moving = rows_that_may_move(state_);
    if (static_cast<double>(moving.size()) > (1 - worth_shrinking) * static_cast<double>(state_.size())) return false;
    save();
    std::vector<Index> rows;
    for (const Index i : moving) rows.push_back(active_[State::at(i)]);
    const State rest = restricted(state_, moving);
    activate(std::move(rows));
    state_.values = rest.values;
    return true;
  }

  // A feasible direction bounds the margin of any separating hyperplane by |w| / sum of alpha.
  void check_margin() const {
    if (options_.least_margin <= 0) return;
    double total = 0;
    for (const double coef : state_.coef) total += std::abs(coef);
    const double squared_radius = *std::ranges::max_element(all_.diagonal);
    const double squared_norm = std::max(0.0, objective(state_).squared_norm);
    if (total > 0 && squared_norm <= options_.least_margin * options_.least_margin * squared_radius * total * total)
      throw Stopped(Status::unbounded);
  }

  void activate(std::vector<Index> rows) {
    active_ = std::move(rows);
    state_ = restricted(all_, active_);
    if (static_cast<Index>(active_.size()) == gram_.size() && whole_block_ && all_.size() <= options_.whole_block)
      return;
    gram_.activate(active_);
    stop_.progress.active_rows = state_.size();
    whole_block_ = false;
  }

  void save() {
    for (std::size_t k = 0; k < active_.size(); ++k) all_.coef[State::at(active_[k])] = state_.coef[k];
  }

  static State restricted(const State& state, const std::vector<Index>& rows) {
    State part;
    for (auto field : {&State::coef, &State::lo, &State::hi, &State::slope, &State::values, &State::diagonal}) {
      (part.*field).reserve(rows.size());
      for (const Index i : rows) (part.*field).push_back((state.*field)[State::at(i)]);
    }
    return part;
  }

  Gram<T>& gram_;
  const SolverOptions& options_;
  Stop& stop_;
  State all_;  // values are those of the last verification
  std::span<const double> signs_;
  std::vector<Index> active_;  // rows of all_
  State state_;                // the active rows
  Buffer<T> block_;
  bool whole_block_ = false;  // block_ holds all the active rows
  Solution solution_;
};

}  // namespace

template <class T>
Solution solve(const BoxQp& qp, Gram<T>& gram, const SolverOptions& options, Stop& stop) {
  return Solver<T>(qp, gram, options, stop).run();
}

template Solution solve(const BoxQp&, Gram<float>&, const SolverOptions&, Stop&);
template Solution solve(const BoxQp&, Gram<double>&, const SolverOptions&, Stop&);

}  // namespace mercer
