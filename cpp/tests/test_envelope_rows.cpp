// The rows of the method of multipliers: which are active, when the others are rechecked, and what moves with w.
#include <algorithm>
#include <limits>

#include "check.hpp"
#include "linear/multipliers/envelope_rows.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double of_rounding = 1e-12;

// Hinge losses of random rows.
struct Hinges {
  Table table;
  std::vector<double> slope, lower, upper;
  std::unique_ptr<LinearRows> X;
  LinearProblem problem;

  explicit Hinges(Index rows) : table(random_table(rows, 4, 31)) {
    for (Index i = 0; i < rows; ++i) {
      const bool is_positive = table.row(i)[0] > 0;
      slope.push_back(is_positive ? 1 : -1);
      lower.push_back(is_positive ? 0 : -1);
      upper.push_back(is_positive ? 1 : 0);
    }
    X = linear_rows(Dense<double>{table.values.data(), rows, 4}, {}, {});
    problem.slope = slope;
    problem.lower = lower;
    problem.upper = upper;
  }
  double value(Index i, const std::vector<double>& w) const {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += w[j] * table.row(i)[j];
    return sum;
  }
  // That of the envelope around the centre, of the steepness one.
  double coef(Index i, const std::vector<double>& w, double centre) const {
    return std::clamp(centre + slope[at(i)] - value(i, w), lower[at(i)], upper[at(i)]);
  }
};

std::vector<double> times(const std::vector<double>& w, double factor) {
  std::vector<double> scaled = w;
  for (double& x : scaled) x *= factor;
  return scaled;
}

}  // namespace

TEST(active_rows_that_are_dropped_leave_the_others_in_order) {
  for (const int threads : {1, 3}) {
    ActiveRows active(10);
    active.resize(10);
    for (Index k = 0; k < 10; ++k) {
      active.number(k) = static_cast<std::int32_t>(k);
      active.position(k) = static_cast<std::int32_t>(100 + k);
      active.slope(k) = 1.5 * static_cast<double>(k);
      active.change(k) = 2.5 * static_cast<double>(k);
    }
    const std::int32_t slots[] = {0, 3, 4, 9};
    active.drop(slots, threads);
    const std::int32_t left[] = {1, 2, 5, 6, 7, 8};
    CHECK(active.size() == 6);
    for (Index k = 0; k < active.size(); ++k) {
      const std::int32_t i = left[k];
      CHECK(active.number(k) == i && active.position(k) == 100 + i);
      CHECK(active.slope(k) == 1.5 * i && active.part(0, 6).change[k] == 2.5 * i);
    }
  }
}

TEST(active_rows_between_their_bounds_move_with_the_value) {
  ActiveRows active(4);
  active.resize(4);
  const double coefs[] = {0.5, 1, 0, 0}, kinks[] = {0, 0, 0, 0.1};
  for (Index k = 0; k < 4; ++k) {
    active.position(k) = static_cast<std::int32_t>(10 + k);
    active.lower(k) = -1;
    active.upper(k) = 1;
    active.kink(k) = kinks[k];
    active.coef(k) = coefs[k];
    active.weight(k) = static_cast<double>(k);
  }
  const WeightedRows between = active.between(0, 4);
  CHECK((between.positions == std::vector<std::int32_t>{10, 12}));
  CHECK((between.weights == std::vector<double>{0, 2}));
}

TEST(inactive_rows_are_due_once_w_may_have_moved_by_their_slack) {
  InactiveRows rows(5);
  CHECK(rows.take_due(inf).empty());
  rows = InactiveRows(5);
  rows.put(3, 0.5, 2.0, 4.0);  // rests until w has moved by 2
  rows.put(1, 1.0, 1.0, 1.0);  // by 1
  rows.put(4, 0.0, 0.0, 1.0);  // for ever: a row of zeros
  CHECK(rows.take_due(0.5).empty());
  rows.advance(0.75);
  CHECK((rows.take_due(0.5) == std::vector<std::int32_t>{1}));
  CHECK(rows.coef(1) == 1.0 && rows.norm(3) == 2.0);
  CHECK(rows.take_due(0.5).empty());
  rows.advance(1);
  rows.put(1, 2.0, 1.0, 0.5);  // by another half
  CHECK((rows.take_due(1) == std::vector<std::int32_t>{1, 3}));
  CHECK((rows.take_due(inf) == std::vector<std::int32_t>{4}));
  CHECK(rows.coefficients()[1] == 2.0 && rows.coefficients()[3] == 0.5);
}

TEST(inactive_rows_never_come_late) {
  InactiveRows rows(200);
  Random random(7);
  std::vector<double> until(200, -1);
  double path = 0;
  for (int k = 0; k < 300; ++k) {
    const double reach = 0.5 * (random() + 1);
    for (const std::int32_t i : rows.take_due(reach)) {
      CHECK(until[at(i)] >= 0 && until[at(i)] <= path + reach);
      until[at(i)] = -1;
    }
    CHECK(std::ranges::none_of(until, [&](double u) { return u >= 0 && u <= path + reach; }));
    rows.advance(reach);
    path += reach;
    for (std::int32_t i = static_cast<std::int32_t>(k % 7); i < 200; i += 7) {
      if (until[at(i)] >= 0) continue;
      const double norm = 1.5 + random(), slack = 3 * (random() + 1);
      rows.put(i, 0, norm, slack);
      until[at(i)] = path + slack / norm;
    }
  }
}

TEST(envelope_rows_move_as_if_they_began_where_w_is) {
  const Hinges hinges(700);
  Stop stop;
  const std::vector<double> w{0.4, -0.2, 0.1, 0.3}, step{0.2, 0.3, -0.1, 0.05};
  for (const int threads : {1, 3}) {
    EnvelopeRows rows(*hinges.X, hinges.problem, {every(1, 700), 1.0, 1.0}, threads, stop);
    const double largest = rows.begin(0, 700, w.data(), false);
    std::vector<double> centres(700), before(700);
    double largest_norm = 0;
    for (Index k = 0; k < 700; ++k) {
      centres[at(k)] = rows.active().centre(k);
      before[at(k)] = rows.active().coef(k);
      CHECK_NEAR(before[at(k)], hinges.coef(k, w, centres[at(k)]), of_rounding);
      largest_norm = std::max(largest_norm, rows.active().norm(k));
    }
    CHECK(largest == largest_norm);

    rows.slope_along_step(step);
    const RowMoves moves = rows.move(0.5, 0.0, false);
    std::vector<double> moved = times(step, 0.5), sum(4, 0.0);
    for (std::size_t j = 0; j < 4; ++j) moved[j] += w[j];
    const std::vector<double> after = rows.coefficients();
    Index between_before = 0, between_after = 0;
    for (Index i = 0; i < 700; ++i) {
      CHECK_NEAR(after[at(i)], hinges.coef(i, moved, centres[at(i)]), of_rounding);
      const auto is_between = [&](double c) { return c > hinges.lower[at(i)] && c < hinges.upper[at(i)]; };
      between_before += is_between(before[at(i)]);
      between_after += is_between(after[at(i)]);
      for (std::size_t j = 0; j < 4; ++j) sum[j] += (after[at(i)] - before[at(i)]) * hinges.table.row(i)[j];
    }
    CHECK(moves.entered.size() - moves.left.size() == between_after - between_before);
    for (std::size_t j = 0; j < 4; ++j) {
      double told = 0;
      for (const std::vector<double>& share : moves.sums) told += share[j];
      CHECK_NEAR(told, sum[j], 1e-10);
    }
  }
}

TEST(envelope_rows_that_rest_come_back_as_they_were) {
  const Hinges hinges(300);
  Stop stop;
  const std::vector<double> w{1.0, 6.0, 0.1, 0.3};  // far on both sides of the bounds
  EnvelopeRows rows(*hinges.X, hinges.problem, {every(1, 300), 1.0, 1.0}, 1, stop);
  rows.begin(0, 300, w.data(), false);
  RowMoves moves = rows.move(0, 0, false);
  const std::vector<double> coef = rows.coefficients();
  LossStanding inactive = moves.totals_of_resting;
  CHECK(!moves.resting.empty());
  rows.deactivate(moves.resting);
  CHECK(rows.active().size() == 300 - static_cast<Index>(moves.resting.size()));
  CHECK(rows.coefficients() == coef);
  rows.activate(inf, w, inactive);
  CHECK(rows.active().size() == 300 && rows.coefficients() == coef);
  CHECK_NEAR(inactive.dual, 0, of_rounding);
  CHECK_NEAR(inactive.size, 0, of_rounding);
  for (Index k = 0; k < 300; ++k)
    CHECK_NEAR(rows.active().value(k), hinges.value(rows.active().number(k), w), of_rounding);
}

TEST(envelope_rows_of_a_sample_count_for_all) {
  const Hinges hinges(40);
  Stop stop;
  EnvelopeRows rows(*hinges.X, hinges.problem, {every(4, 40), 4.0, 1.0}, 1, stop);
  CHECK(rows.size() == 10 && rows.active().position(3) == 12 && !rows.is_smooth());
  CHECK(rows.active().upper(3) == 4 * hinges.upper[12] && rows.active().lower(3) == 4 * hinges.lower[12]);
  const EnvelopeRows smooth(*hinges.X, hinges.problem, {every(4, 40), 4.0, 0.0}, 1, stop);
  CHECK(smooth.is_smooth() && smooth.scale() == 1);
}
