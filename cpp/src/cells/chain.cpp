#include "chain.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/simd.hpp"
#include "optimality.hpp"
#include "solver/newton_steps.hpp"
#include "solver/pair_steps.hpp"
#include "solver/patience.hpp"
#include "solver/samples.hpp"
#include "solver/working_set.hpp"

namespace mercer {
namespace {

// Groups of fewer rows are active as a whole.
constexpr Index few_rows = 700;
// Rows that come in at a time, at least: as many as are active may.
constexpr Index least_newcomers = 256;
// Rows at a bound are active where they are so near to violating, as a share of the violation of all.
constexpr double margin_share = 0.1;
// The active rows are solved to this share of the violation they came with, and to somewhat less than the tolerance, so
// that the others have room.
constexpr double round_share = 0.05;
constexpr double part_share = 0.9;
// More active rows than this, whose values fill half of a large cache, are not gathered. The whole matrix serves them
// as it stands, which takes few steps where rows are nearly orthogonal; after so many for each row, working sets do.
constexpr Index most_gathered = 2048;
constexpr Index direct_steps_per_row = 2;
constexpr double set_share = 0.01;
// The values of active rows stay while this share of them is wanted still.
constexpr double least_staying = 0.3;
constexpr double spare_room = 1.25;
constexpr Index least_stride = 1536;
// Coefficients are scaled with the bounds where more than this share of them is at one.
constexpr double mostly_bounded = 0.5;
// Pairs have so many steps before Newton steps are tried, and as many more as these cost.
constexpr Index steps_before_newton = 1000;
constexpr double newton_patience = 2;
constexpr Index newton_most_free_rows = 600;
constexpr double newton_share = 0.1;
// To what violation the stored values are solved before those in float64 are looked at, and what is left at best, in
// units of how far values lie apart; how many times that is tried; and how many times the error seen rows may be off.
constexpr double fine_tol = 1e-6;
constexpr double finest_tol = 1e-12;
constexpr int most_refinements = 8;
constexpr double safety = 4;
// Nearer to a bound, as a share of it, is at it.
constexpr double at_bound = 1e-12;

constexpr double infinity = std::numeric_limits<double>::infinity();

double spread_of(std::span<const double> values) {
  double total = 0, squares = 0;
  for (const double v : values) total += v;
  const double mean = total / static_cast<double>(std::max<std::size_t>(1, values.size()));
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares > 0 ? std::sqrt(squares / static_cast<double>(values.size())) : 1;
}

// Steps of pairs that take as long as a Newton step, about; all there are where too many rows are free.
Index steps_worth_newton(const State& state) {
  double free = 0;
  for (Index i = 0; i < state.size(); ++i) free += state.free(i);
  if (free > newton_most_free_rows) return std::numeric_limits<Index>::max();
  const auto m = static_cast<double>(state.size());
  const double newton = free * free * free / 12 + free * m / 2, pair = 200 + 0.5 * m;  // nanoseconds
  return steps_before_newton + static_cast<Index>(newton_patience * newton / pair);
}

}  // namespace

template <class T>
Chain<T>::Chain(Gram<T>& gram, const Block<T>& kernel, const std::vector<double>& diagonal, const Cells& cells,
                Index split, const SolverOptions& options, Room<T>& room, CellSolutions& out, Index first, Index last)
    : gram_(gram),
      kernel_(kernel),
      cells_(cells),
      split_(split),
      options_(options),
      room_(room),
      out_(out),
      unit_(options.unit > 0 ? options.unit : spread_of(cells.linear)),
      first_(first),
      last_(last),
      cell_(first) {
  const auto n = static_cast<std::size_t>(cells.rows);
  whole_.linear.assign(cells.linear.begin(), cells.linear.end());
  whole_.kink.assign(cells.kink.begin(), cells.kink.end());
  for (auto* field : {&whole_.coef, &whole_.lo, &whole_.hi, &whole_.kink}) field->resize(n, 0.0);
  whole_.neg_grad = whole_.linear;
  whole_.diagonal = diagonal;
  is_active_.assign(n, false);
}

template <class T>
Chain<T>::~Chain() {
  if (block_.size() > 0) room_.give_back(std::move(block_));
}

template <class T>
void Chain<T>::begin_from(Index other) {
  set_bounds();
  const auto n = static_cast<std::ptrdiff_t>(cells_.rows), first = static_cast<std::ptrdiff_t>(number(other)) * n;
  const std::span<const double> before(out_.coef.begin() + first, out_.coef.begin() + first + n);
  whole_.neg_grad.assign(out_.values.begin() + first, out_.values.begin() + first + n);
  // What the other has of the rows that are held out here is taken from the rest of the heavier side.
  double up = 0, down = 0;
  for (Index i = 0; i < cells_.rows; ++i) {
    const double coef = std::clamp(at(before, i), at(whole_.lo, i), at(whole_.hi, i));
    at(whole_.coef, i) = coef;
    (coef > 0 ? up : down) += std::abs(coef);
  }
  // A difference of rounding stays: scaling it away would take coefficients off their bounds.
  const double least = std::abs(up - down) <= at_bound * up ? infinity : std::min(up, down);
  const double of_up = std::min(1.0, least / up), of_down = std::min(1.0, least / down);
  for (Index i = 0; i < cells_.rows; ++i) {
    double& coef = at(whole_.coef, i);
    coef *= coef > 0 ? of_up : coef < 0 ? of_down : 0.0;
    if (const double change = coef - at(before, i); change != 0)
      ops<T>().add_scaled(whole_.neg_grad.data(), kernel_.row(i), -change, cells_.rows);
  }
}

template <class T>
void Chain<T>::set_bounds() {
  const double scale = at(cells_.scales, cell_);
  const std::size_t first = static_cast<std::size_t>(split_ * cells_.rows);
  for (std::size_t i = 0; i < whole_.coef.size(); ++i) {
    whole_.lo[i] = scale * cells_.lower[first + i];
    whole_.hi[i] = scale * cells_.upper[first + i];
  }
}

template <class T>
void Chain<T>::begin_with(std::span<const double> coef) {
  set_bounds();
  whole_.neg_grad = whole_.linear;
  for (Index i = 0; i < cells_.rows; ++i) {
    const double own = std::clamp(at(coef, i), at(whole_.lo, i), at(whole_.hi, i));
    at(whole_.coef, i) = own;
    if (own != 0) ops<T>().add_scaled(whole_.neg_grad.data(), kernel_.row(i), -own, cells_.rows);
  }
}

template <class T>
void Chain<T>::solve_next(Stop& stop) {
  steps_ = 0;
  if (!cells_.begin.empty())
    begin_with(cells_.begin.subspan(number(split_) * whole_.coef.size(), whole_.coef.size()));
  else if (!has_begun())
    set_bounds();
  else
    take_over_machine();
  try {
    if (out_.copied[number(split_)] == 0) improve(options_.tol, stop);
    if (options_.verify) refine(stop);
  } catch (const Stopped& stopped) {
    if (stopped.status != Status::stalled) throw;
  }
  keep();
  ++cell_;
}

// The machine of the cell before within wider bounds: as it is, or scaled with them where these hold most of it.
template <class T>
void Chain<T>::take_over_machine() {
  if (has_none_at_bound()) {
    out_.copied[number(split_)] = 1;
    set_bounds();
    return;
  }
  if (!is_mostly_bounded()) {
    set_bounds();
    return;
  }
  const State before = whole_;
  const double factor = at(cells_.scales, cell_) / at(cells_.scales, cell_ - 1);
  set_bounds();
  for (Index i = 0; i < cells_.rows; ++i) {
    double& coef = at(whole_.coef, i);
    if (coef > 0 && coef == at(before.hi, i))
      coef = at(whole_.hi, i);
    else if (coef < 0 && coef == at(before.lo, i))
      coef = at(whole_.lo, i);
    else
      coef = std::clamp(factor * coef, at(whole_.lo, i), at(whole_.hi, i));
    at(whole_.neg_grad, i) = at(whole_.linear, i) + factor * (at(whole_.neg_grad, i) - at(whole_.linear, i));
  }
}

template <class T>
bool Chain<T>::has_none_at_bound() const {
  for (Index i = 0; i < cells_.rows; ++i)
    if (const double coef = at(whole_.coef, i); coef != 0 && (coef == at(whole_.lo, i) || coef == at(whole_.hi, i)))
      return false;
  return true;
}

template <class T>
bool Chain<T>::is_mostly_bounded() const {
  Index bounded = 0, support = 0;
  for (Index i = 0; i < cells_.rows; ++i)
    if (const double coef = at(whole_.coef, i); coef != 0) {
      bounded += coef == at(whole_.lo, i) || coef == at(whole_.hi, i);
      ++support;
    }
  return static_cast<double>(bounded) > mostly_bounded * static_cast<double>(support);
}

template <class T>
void Chain<T>::improve(double tol, Stop& stop) {
  Patience patience(cells_.rows, stop.progress.steps);
  for (;;) {
    const double violation = extremes(whole_).violation();
    stop.progress.violation = violation;
    if (violation <= tol) return;
    patience.watch(violation, stop.progress.steps);
    activate(violation);
    const bool is_whole = length(active_) == cells_.rows;
    State part = restricted(whole_, active_);
    const double share = is_set_ ? set_share : round_share;
    const double target = is_whole ? tol : std::max(share * violation, part_share * tol);
    const Index taken = descend(part, target, stop);
    settle(part);
    steps_ += taken;
    stop.count_steps(taken);
    stop.poll();
    if (taken == 0) throw Stopped(Status::stalled);
  }
}

// Goes on until what is left is the rounding of float64. Its values are computed anew where they decide: of free rows,
// which tell the gap, of those at a bound that are as near to violating as float32 could be off, and of rows that are
// held out. What they leave of a violation is solved for with the stored values, and they are computed again.
template <class T>
void Chain<T>::refine(Stop& stop) {
  improve(std::min(options_.tol, fine_tol * unit_), stop);
  double error = fine_tol * unit_;
  for (int round = 0; round < most_refinements; ++round) {
    std::vector<Index> rows;
    const double pivot = middle(whole_)[0];
    for (Index i = 0; i < cells_.rows; ++i) {
      const bool is_held_out = at(whole_.lo, i) == at(whole_.hi, i);
      const bool is_near = (whole_.up(i) && whole_.up_value(i) > pivot - safety * error) ||
                           (whole_.low(i) && whole_.low_value(i) < pivot + safety * error);
      if (is_held_out || is_near || whole_.free(i)) rows.push_back(i);
    }
    const double seen = evaluate_exactly(rows, stop);
    if (round == 0) {
      const bool is_coarse = seen > error;
      error = seen;
      if (is_coarse) continue;  // there are more rows that it could decide
    }
    std::erase_if(rows, [&](Index i) { return at(whole_.lo, i) == at(whole_.hi, i); });
    State part = restricted(whole_, rows);
    if (extremes(part).violation() <= finest_tol * unit_) return;
    if (length(rows) > most_gathered)
      hold_all();
    else
      hold(std::move(rows));
    part = restricted(whole_, active_);
    if (length(active_) < cells_.rows) descend_by_newton(part, block(), newton_share * finest_tol * unit_, stop);
    descend_by_pairs(part, PairSteps<T>{block(), finest_tol * unit_, direct_steps_per_row * part.size()}, stop);
    settle(part);
    stop.poll();
  }
}

// Puts values in float64 in the place of those there are; returns how far these were off.
template <class T>
double Chain<T>::evaluate_exactly(const std::vector<Index>& rows, Stop& stop) {
  std::vector<Index> support;
  std::vector<double> coef, values;
  for (Index i = 0; i < cells_.rows; ++i)
    if (at(whole_.coef, i) != 0) {
      support.push_back(i);
      coef.push_back(-at(whole_.coef, i));
    }
  for (const Index i : rows) values.push_back(at(whole_.linear, i));
  gram_.add_exact_products(rows, support, coef, values.data(), stop);
  double error = 0;
  for (Index k = 0; k < length(rows); ++k) {
    double& value = at(whole_.neg_grad, at(rows, k));
    error = std::max(error, std::abs(value - at(values, k)));
    value = at(values, k);
  }
  return error;
}

// Rows that are free, or near to violating.
template <class T>
void Chain<T>::activate(double violation) {
  const Index n = cells_.rows;
  is_set_ = false;
  if (n <= few_rows) return hold_all();
  if (std::ranges::all_of(whole_.coef, [](double c) { return c == 0; })) return hold(sample());
  const Sums pivots = middle(whole_);
  const Index newcomers = std::max(length(active_), least_newcomers);
  std::vector<Index> wanted =
      choose_active(whole_, n, is_active_, {pivots, margin_share * std::min(violation, unit_), newcomers});
  if (length(wanted) <= most_gathered) return hold(std::move(wanted));
  is_set_ = true;
  if (steps_ < direct_steps_per_row * n) return hold_all();
  hold(choose_working_set(whole_, active_, most_gathered));
}

// Some of the rows that are known.
template <class T>
std::vector<Index> Chain<T>::sample() const {
  std::vector<Index> rows;
  for (const Index i : sample_order(cells_.rows, 0, 0))
    if (at(whole_.lo, i) < at(whole_.hi, i) && length(rows) < least_newcomers) rows.push_back(i);
  std::ranges::sort(rows);
  return rows;
}

// The matrix as it stands.
template <class T>
void Chain<T>::hold_all() {
  if (length(active_) == cells_.rows) return;
  active_ = counted(0, cells_.rows);
  is_active_.assign(is_active_.size(), true);
  stride_ = 0;
}

// Gathers the values among the rows; what is there of them stays where most of the rows do.
template <class T>
void Chain<T>::hold(std::vector<Index> rows) {
  std::vector<Index> arrivals;
  for (const Index i : rows)
    if (!at(is_active_, i)) arrivals.push_back(i);
  const Index staying = length(rows) - length(arrivals);
  const bool grows = stride_ > 0 && length(active_) + length(arrivals) <= stride_ &&
                     static_cast<double>(staying) >= least_staying * static_cast<double>(active_.size());
  if (grows && arrivals.empty()) return;
  Index first = 0;
  if (grows) {
    first = length(active_);
    active_.insert(active_.end(), arrivals.begin(), arrivals.end());
  } else {
    for (const Index i : active_) at(is_active_, i) = false;
    active_ = std::move(rows);
    const auto room = static_cast<Index>(spare_room * static_cast<double>(active_.size()));
    stride_ = std::min(cells_.rows, std::max(room, least_stride));
    if (block_.size() < stride_ * stride_) {
      if (block_.size() > 0) room_.give_back(std::move(block_));
      block_ = room_.take(stride_ * stride_);
    }
  }
  for (const Index i : active_) at(is_active_, i) = true;
  // A row of the matrix is read once, whole: values of earlier rows with new ones are those of new ones with them.
  const std::vector<std::int32_t> columns(active_.begin(), active_.end());
  for (Index a = first; a < length(active_); ++a) {
    const T* row = kernel_.row(at(active_, a));
    T* to = block_.data() + a * stride_;
    for (std::size_t b = 0; b < columns.size(); ++b) to[b] = row[columns[b]];
  }
  if (first > 0)
    ops<T>().transpose(block_.data() + first * stride_, stride_, length(active_) - first, first, block_.data() + first,
                       stride_);
}

// Pairs, and once they have cost as much as Newton steps would, these.
template <class T>
Index Chain<T>::descend(State& part, double tol, Stop& stop) const {
  // Then the whole sees whether rounding keeps the violation from falling.
  const Index most = is_set_ ? direct_steps_per_row * part.size() : window_steps + window_steps_per_row * part.size();
  for (Index steps = 0;;) {
    const Index burst = std::min({stop.steps_left(), most - steps, steps_worth_newton(part)});
    const Index taken = descend_by_pairs(part, PairSteps<T>{block(), tol, burst}, stop);
    steps += taken;
    if (taken < burst || steps >= most || extremes(part).violation() <= tol) return steps;
    stop.poll();
    descend_by_newton(part, block(), newton_share * tol, stop);
  }
}

template <class T>
void Chain<T>::settle(const State& part) {
  for (Index a = 0; a < part.size(); ++a) {
    const Index i = at(active_, a);
    const double change = at(part.coef, a) - at(whole_.coef, i);
    if (change == 0) continue;
    at(whole_.coef, i) = at(part.coef, a);
    ops<T>().add_scaled(whole_.neg_grad.data(), kernel_.row(i), -change, cells_.rows);
  }
}

// Coefficients next to zero or to a bound are put on it: they are rounding, and would count as free.
template <class T>
void Chain<T>::snap() {
  for (Index i = 0; i < cells_.rows; ++i) {
    double& coef = at(whole_.coef, i);
    if (coef == 0) continue;
    const double bound = coef > 0 ? at(whole_.hi, i) : at(whole_.lo, i);
    if (std::abs(bound - coef) <= at_bound * std::abs(bound)) coef = bound;
    if (std::abs(coef) <= at_bound * std::abs(bound)) coef = 0;
  }
}

template <class T>
void Chain<T>::keep() {
  snap();
  const std::size_t own = number(split_), n = whole_.coef.size();
  std::ranges::copy(whole_.coef, out_.coef.begin() + static_cast<std::ptrdiff_t>(own * n));
  std::ranges::copy(whole_.neg_grad, out_.values.begin() + static_cast<std::ptrdiff_t>(own * n));
  out_.optimality[own] = optimality_of(whole_);
  out_.steps[own] = steps_;
  out_.statuses[own] = out_.optimality[own].violation <= options_.tol ? Status::solved : Status::stalled;
}

template class Chain<float>;
template class Chain<double>;

}  // namespace mercer
