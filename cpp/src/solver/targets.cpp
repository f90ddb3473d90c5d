#include "targets.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

// The violation of a sample, in units of how far values lie apart: finer would be undone by the rows of the next.
constexpr double sample_tol = 0.3;
// Violators of a sample, relative to its active rows, that are not worth another round.
constexpr double few_violators = 0.02;

// The active rows of a sample are solved to this share of the violation they came with: less would repeat the work of
// the next. Before those of the whole are solved further, all others must be evaluated, which is dear: so they are
// solved to the second share. What a working set changes must be brought to all active rows, which is dear as well.
constexpr double sample_share = 0.1;
constexpr double whole_share = 0.03;
constexpr double set_share = 0.03;
// A part is solved somewhat better than the target of all, so that the other rows have room.
constexpr double part_share = 0.7;

// Values that are off by so much of the margin are good enough to calibrate on.
constexpr double margin_share = 0.1;

// Coefficients of machines that are found in different ways differ by about as much as this.
constexpr double fine_tol = 1e-7;
// Most problems take fewer steps to get there; others have kept their tolerance.
constexpr Index fine_steps_per_row = 3;

}  // namespace

double sample_target(double unit, double tol) { return std::max(sample_tol * unit, tol); }

bool are_few(Index violators, Index active_rows) {
  return static_cast<double>(violators) < few_violators * static_cast<double>(active_rows);
}

double active_target(const RoundStart& round) {
  const double share = round.is_sample ? sample_share : whole_share;
  return std::max(share * round.violation, (round.is_all_active ? 1.0 : part_share) * round.target);
}

double margin_target(const Sums& pivots, double tol) {
  return std::max(margin_share * 0.5 * std::abs(pivots[1] - pivots[0]), tol);
}

double fine_target(double unit) { return fine_tol * unit; }

Index fine_steps(Index rows) { return fine_steps_per_row * rows; }

double working_set_target(double violation, double target) {
  return std::max(set_share * violation, part_share * target);
}

}  // namespace mercer
