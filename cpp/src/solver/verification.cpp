#include "verification.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

// What to expect of the rounding of values from float kernel values, in units of that of the root of the sum of the
// squared coefficients.
constexpr double units_of_rounding = 8;
// Leaves room for the rounding of values that nobody verifies here, and of the certificate.
constexpr double unverified_share = 0.95;
// Rounding that is expected to take no more than this of the tolerance is not looked at: the certificate decides.
constexpr double negligible_share = 0.02;
// Kernel values that are measured to be wrong by more than this share of the tolerance may keep it from being met.
constexpr double doubtful_share = 0.5;
// Rows whose running and exact values are compared at the end, and how near to violating the rows are that take the
// exact ones where the two differ.
constexpr Index probed_rows = 64;
constexpr double refined_margin = 0.01;
// How often the violation may fail to halve before the solver gives up.
constexpr int verifications_without_progress = 3;

std::vector<Index> some_of(const std::vector<Index>& rows) {
  const Index count = std::min(probed_rows, length(rows));
  std::vector<Index> some;
  for (Index k = 0; k < count; ++k) some.push_back(at(rows, k * length(rows) / count));
  return some;
}

template <class T>
double expected_rounding(const RestingRows<T>& rows, const Scale& scale) {
  double squares = 0;
  for (const double c : rows.coef()) squares += c * c;
  return units_of_rounding * std::numeric_limits<T>::epsilon() * std::sqrt(squares) * scale.largest_diagonal;
}

template <class T>
std::vector<Index> deciding_rows(const RestingRows<T>& rows, const Scale& scale) {
  return rows.near_violating(scale.pivots, refined_margin * scale.unit);
}

}  // namespace

template <class T>
double Verification<T>::first_target() const {
  return unverified_share * options_.tol;
}

template <class T>
std::optional<double> Verification<T>::rounding_to_measure(const RestingRows<T>& rows, const Scale& scale) const {
  if (sizeof(T) == 8 || options_.gap_tol > 0) return {};
  const double rounding = expected_rounding(rows, scale);
  if (rounding <= first_target()) return {};
  return rounding;
}

template <class T>
bool Verification<T>::finds_doubt(RestingRows<T>& rows, const Scale& scale) const {
  return rows.evaluate_exactly(some_of(deciding_rows(rows, scale))) > doubtful_share * options_.tol;
}

template <class T>
double Verification<T>::verify(RestingRows<T>& rows, const Scale& scale) const {
  const auto violation = [&] { return rows.extremes().violation(); };
  if (options_.gap_tol > 0 || options_.verify) {
    rows.evaluate_exactly(counted(0, rows.size()));
    return violation();
  }
  const double running = violation();
  if (running <= options_.tol && expected_rounding(rows, scale) <= negligible_share * options_.tol) return running;
  const std::vector<Index> deciding = deciding_rows(rows, scale);
  const double error = rows.evaluate_exactly(some_of(deciding)), probed = violation();
  if (probed + 2 * error <= options_.tol) return probed;
  rows.evaluate_exactly(deciding);
  return violation();
}

template <class T>
bool Verification<T>::is_satisfied(const RestingRows<T>& rows, double violation) const {
  if (violation > options_.tol) return false;
  if (options_.gap_tol <= 0) return true;
  const Objective value = rows.objective();
  const double size = std::max(std::abs(value.dual), std::abs(value.dual + value.gap));
  return value.gap <= unverified_share * options_.gap_tol * size;
}

template <class T>
double Verification<T>::next_target(double target, double violation) {
  fruitless_ = violation < 0.5 * last_violation_ ? 0 : fruitless_ + 1;
  if (fruitless_ == verifications_without_progress) throw Stopped(Status::stalled);
  last_violation_ = violation;
  return 0.5 * std::min(target, violation);
}

template class Verification<float>;
template class Verification<double>;

}  // namespace mercer
