#include "resting_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Values that lie less apart than this share of the unit tell nothing. Where the machine is next to zero, as that of a
// linear kernel around the origin, all rows have about the same value, and the weight of those that gain most by
// rounding would throw it far off.
constexpr double flat = 0.5;

}  // namespace

template <class T>
RestingRows<T>::RestingRows(State state, Gram<T>& gram, Stop& stop)
    : gram_(gram), stop_(stop), state_(std::move(state)), history_(state_.size()) {}

template <class T>
void RestingRows<T>::admit(Index rows) {
  evaluate(counted(known_, rows));
  known_ = rows;
}

template <class T>
std::vector<double> RestingRows<T>::values(Index first) const {
  return gathered(state_.neg_grad, counted(first, known_));
}

template <class T>
bool RestingRows<T>::give_sums(const Start& start, Index rows, double unit) {
  if (!start.has_weight()) return false;
  const bool values_tell = unit == 0 || spread() > flat * unit;
  return start.give_sums(state_, rows, values_tell);
}

template <class T>
void RestingRows<T>::evaluate_all() {
  evaluate(counted(0, known_));
  history_.amend(state_.coef);
}

template <class T>
double RestingRows<T>::spread() const {
  double total = 0, squares = 0;
  for (Index i = 0; i < known_; ++i) total += at(state_.neg_grad, i);
  const double mean = total / static_cast<double>(std::max<Index>(1, known_));
  for (Index i = 0; i < known_; ++i) squares += std::pow(at(state_.neg_grad, i) - mean, 2);
  return squares > 0 ? std::sqrt(squares / static_cast<double>(known_)) : 1;
}

template <class T>
Index RestingRows<T>::count_violators(const Sums& pivots, double tol) const {
  Index count = 0;
  for (Index i = 0; i < known_; ++i)
    count += (state_.up(i) && state_.up_value(i) > pivots[state_.up_sum(i)] + tol) ||
             (state_.low(i) && state_.low_value(i) < pivots[state_.low_sum(i)] - tol);
  return count;
}

template <class T>
std::vector<Index> RestingRows<T>::choose(const std::vector<bool>& active_before, const Activation& how) const {
  return choose_active(state_, known_, active_before, how);
}

template <class T>
std::vector<Index> RestingRows<T>::near_violating(const Sums& pivots, double margin) const {
  return choose(std::vector<bool>(state_.coef.size(), true), {pivots, margin, state_.size()});
}

template <class T>
State RestingRows<T>::up_to_date(const std::vector<Index>& rows) {
  std::vector<Index> behind;
  for (const Index i : rows)
    if (!history_.is_current(i)) behind.push_back(i);
  evaluate(behind);
  return restricted(state_, rows);
}

// The squared length of a step in feature space is what coefficients change by times what values do.
template <class T>
void RestingRows<T>::settle(const std::vector<Index>& rows, const State& active) {
  double squared_length = 0;
  for (Index k = 0; k < length(rows); ++k) {
    const Index i = at(rows, k);
    squared_length += (at(active.coef, k) - at(state_.coef, i)) * (at(state_.neg_grad, i) - at(active.neg_grad, k));
    at(state_.diagonal, i) = at(active.diagonal, k);
  }
  take_coef(rows, active.coef);
  history_.add(state_.coef, std::sqrt(std::max(0.0, squared_length)));
  put_neg_grad(active.neg_grad, rows);
}

template <class T>
void RestingRows<T>::take_coef(const std::vector<Index>& rows, const std::vector<double>& coef) {
  for (Index k = 0; k < length(rows); ++k) at(state_.coef, at(rows, k)) = at(coef, k);
}

template <class T>
void RestingRows<T>::refresh(const std::vector<bool>& is_active, const Screening& screening) {
  std::vector<std::vector<Index>> waiting(static_cast<std::size_t>(history_.rounds_known()));  // by rounds behind
  std::vector<Index> lost;
  for (Index i = 0; i < known_; ++i) {
    if (at(is_active, i) || (screening.is_on && !may_violate(i, screening))) continue;
    const Index behind = history_.rounds_since(i);
    (behind < length(waiting) ? at(waiting, behind) : lost).push_back(i);
  }
  const Index support = length(contribution_of(state_.coef).rows);
  for (Index behind = 1; behind < length(waiting); ++behind) {
    const std::vector<Index>& rows = at(waiting, behind);
    if (rows.empty()) continue;
    const Contribution change = contribution_of_change(history_.coef_before(behind), state_.coef);
    if (length(change.rows) < support)
      catch_up(rows, change);
    else
      lost.insert(lost.end(), rows.begin(), rows.end());
  }
  evaluate(lost);
}

template <class T>
bool RestingRows<T>::may_violate(Index i, const Screening& screening) const {
  const double reach = reach_of(i, screening.safety);
  const std::size_t up = state_.up_sum(i), low = state_.low_sum(i);
  const auto& [top, bottom] = screening.active;
  return (state_.up(i) && state_.up_value(i) + reach > std::min(bottom[up], screening.pivots[up])) ||
         (state_.low(i) && state_.low_value(i) - reach < std::max(top[low], screening.pivots[low]));
}

// How far the value of a row may have moved since it was computed.
template <class T>
double RestingRows<T>::reach_of(Index i, double safety) const {
  const double path = history_.path_since(i), squared_norm = at(state_.diagonal, i);
  if (std::isnan(squared_norm)) return path > 0 ? infinity : 0;
  return safety * std::sqrt(std::max(0.0, squared_norm)) * path;
}

template <class T>
void RestingRows<T>::evaluate(const std::vector<Index>& rows) {
  if (rows.empty()) return;
  const auto [support, coef] = contribution_of(state_.coef);
  std::vector<double> neg_grad = gathered(state_.linear, rows);
  gram_.add_products(rows, support, coef, neg_grad.data(), stop_);
  put_neg_grad(neg_grad, rows);
}

template <class T>
void RestingRows<T>::catch_up(const std::vector<Index>& rows, const Contribution& change) {
  std::vector<double> neg_grad = gathered(state_.neg_grad, rows);
  gram_.add_products(rows, change.rows, change.coef, neg_grad.data(), stop_);
  put_neg_grad(neg_grad, rows);
}

template <class T>
double RestingRows<T>::evaluate_exactly(const std::vector<Index>& rows) {
  const auto [support, coef] = contribution_of(state_.coef);
  std::vector<double> neg_grad = gathered(state_.linear, rows);
  gram_.add_exact_products(rows, support, coef, neg_grad.data(), stop_);
  double error = 0;
  for (Index k = 0; k < length(rows); ++k)
    error = std::max(error, std::abs(at(neg_grad, k) - at(state_.neg_grad, at(rows, k))));
  put_neg_grad(neg_grad, rows);
  return error;
}

// Takes values of the coefficients as they are.
template <class T>
void RestingRows<T>::put_neg_grad(const std::vector<double>& neg_grad, const std::vector<Index>& rows) {
  for (Index k = 0; k < length(rows); ++k) at(state_.neg_grad, at(rows, k)) = at(neg_grad, k);
  history_.mark_current(rows);
}

template class RestingRows<float>;
template class RestingRows<double>;

}  // namespace mercer
