#include "active_set.hpp"

#include <algorithm>
#include <cmath>

#include "block_steps.hpp"
#include "margin.hpp"
#include "pair_steps.hpp"
#include "targets.hpp"
#include "timed.hpp"

namespace mercer {
namespace {

// Rows at a bound that are this near to violating are active.
constexpr double active_margin = 0.1;
// Rows that may become active in one round: half as many as are, and no fewer than the last.
constexpr Index active_growth = 2;
constexpr Index least_newcomers = 4096;
// Fewer rows than this many first samples are all active: to choose among them would gain nothing.
constexpr Index samples_held_whole = 2;
// A block of active rows grows while at least this share of them stays active; else it is made anew.
constexpr double least_staying = 0.7;
// What taking a working set costs beside its steps, in steps, where rows are few.
constexpr Index steps_per_set = 100;

}  // namespace

template <class T>
ActiveSet<T>::ActiveSet(Gram<T>& gram, double largest_diagonal, const SolverOptions& options, Stop& stop,
                        Seconds& seconds)
    : gram_(gram),
      options_(options),
      stop_(stop),
      seconds_(seconds),
      is_active_(static_cast<std::size_t>(gram.size()), false),
      block_(gram),
      largest_diagonal_(largest_diagonal) {}

template <class T>
Activation ActiveSet<T>::activation(double unit) const {
  return {pivots(), active_margin * unit, std::max(length(rows_) / active_growth, least_newcomers),
          samples_held_whole * options_.first_sample};
}

template <class T>
std::vector<Index> ActiveSet<T>::rows_for(const std::vector<Index>& wanted) const {
  std::vector<Index> arrivals;
  for (const Index i : wanted)
    if (!at(is_active_, i)) arrivals.push_back(i);
  const auto staying = static_cast<double>(wanted.size() - arrivals.size());
  const bool grows = block_.holds_values() && staying >= least_staying * static_cast<double>(rows_.size()) &&
                     length(rows_) + length(arrivals) <= options_.whole_block;
  if (!grows) return wanted;
  std::vector<Index> grown = rows_;
  grown.insert(grown.end(), arrivals.begin(), arrivals.end());
  return grown;
}

template <class T>
void ActiveSet<T>::hold(std::vector<Index> rows, State state) {
  const bool grows = rows.size() >= rows_.size() && std::equal(rows_.begin(), rows_.end(), rows.begin());
  if (!grows) block_.forget();
  rows_ = std::move(rows);
  state_ = std::move(state);
  is_active_.assign(is_active_.size(), false);
  for (const Index i : rows_) at(is_active_, i) = true;
}

template <class T>
void ActiveSet<T>::descend(double target, Patience patience) {
  step_until(target, patience);
  pivots_ = middle(state_);
}

template <class T>
void ActiveSet<T>::refine(double target, Index most_steps) {
  const Index allowed = std::min(most_steps, stop_.steps_left() - 1);
  if (allowed > 0) stop_.count_steps(descend_by_pairs(state_, PairSteps<T>{block_of_all(), target, allowed}, stop_));
  pivots_ = middle(state_);
}

template <class T>
void ActiveSet<T>::step_until(double target, Patience patience) {
  std::vector<Index> set;
  for (;;) {
    const double violation = extremes(state_).violation();
    stop_.progress.violation = violation;
    if (violation <= target) return;
    patience.watch(violation, stop_.progress.steps);
    if (work_ > options_.most_steps) throw Stopped(Status::stalled);
    if (options_.least_margin > 0 && is_margin_below(options_.least_margin, largest_diagonal_, state_))
      throw Stopped(Status::unbounded);
    const Index steps =
        state_.size() <= options_.whole_block ? solve_whole(target) : solve_working_set(set, violation, target);
    work_ += steps + steps_per_set;
    stop_.count_steps(steps);
    stop_.poll();
    if (steps == 0) return;
  }
}

template <class T>
Index ActiveSet<T>::solve_whole(double target) {
  return descend_timed(state_, block_of_all(), target);
}

template <class T>
Index ActiveSet<T>::solve_working_set(std::vector<Index>& set, double violation, double target) {
  set = choose_working_set(state_, set, working_set_size());
  const Block<T> block = block_of(set);
  State part = restricted(state_, set);
  const Index steps = descend_timed(part, block, working_set_target(violation, target));

  std::vector<Index> changed;
  std::vector<double> change;
  for (Index k = 0; k < length(set); ++k) {
    double& coef = at(state_.coef, at(set, k));
    if (at(part.coef, k) == coef) continue;
    changed.push_back(at(rows_, at(set, k)));
    change.push_back(coef - at(part.coef, k));  // values fall as coefficients grow
    coef = at(part.coef, k);
  }
  const Timed timed(seconds_.products);
  gram_.add_products(rows_, changed, change, state_.neg_grad.data(), stop_);
  return steps;
}

template <class T>
Index ActiveSet<T>::descend_timed(State& state, const Block<T>& block, double tol) {
  const Timed timed(seconds_.steps);
  return descend_in_block(state, block, tol, is_doubtful_, stop_);
}

template <class T>
Block<T> ActiveSet<T>::block_of_all() {
  const Timed timed(seconds_.blocks);
  const Index most = std::min(gram_.size(), std::max(state_.size(), options_.whole_block));
  const Block<T> block = block_.grown(rows_, most, stop_);
  for (Index i = 0; i < state_.size(); ++i) learn_diagonal(i, block.row(i)[i]);
  return block;
}

template <class T>
Block<T> ActiveSet<T>::block_of(const std::vector<Index>& set) {
  const Timed timed(seconds_.blocks);
  const Block<T> block = block_.of(gathered(rows_, set), stop_);
  for (Index k = 0; k < length(set); ++k) learn_diagonal(at(set, k), block.row(k)[k]);
  return block;
}

// Where a row has to be asked for to know k(x, x), its block tells.
template <class T>
void ActiveSet<T>::learn_diagonal(Index i, T value) {
  double& known = at(state_.diagonal, i);
  if (!std::isnan(known)) return;
  known = static_cast<double>(value);
  largest_diagonal_ = std::max(largest_diagonal_, known);
}

// Room for the free rows: a set without it trades free rows for free rows.
template <class T>
Index ActiveSet<T>::working_set_size() const {
  Index free = 0;
  for (Index i = 0; i < state_.size(); ++i) free += state_.free(i);
  return std::min(std::max(free, options_.working_set), options_.largest_working_set);
}

template class ActiveSet<float>;
template class ActiveSet<double>;

}  // namespace mercer
