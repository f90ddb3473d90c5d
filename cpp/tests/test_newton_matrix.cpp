// Newton's systems of the method of multipliers, the steps they lead to and how far these go.
#include <algorithm>

#include "check.hpp"
#include "linear/multipliers/conjugate_gradients.hpp"
#include "linear/multipliers/iterate.hpp"
#include "linear/multipliers/line_search.hpp"
#include "linear/multipliers/newton_matrix.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double of_rounding = 1e-10;
constexpr Index rows = 60, features = 5, cols = features + 1;

// Rows with an offset column, and their weights.
struct System {
  Table table = random_table(rows, features, 41);
  std::unique_ptr<LinearRows> X =
      linear_rows(Dense<double>{table.values.data(), rows, features}, {}, offset_column(1.0));
  WeightedRows all;
  std::vector<double> gradient = Random(42).vector(cols);

  System() {
    Random random(43);
    for (std::int32_t i = 0; i < rows; ++i) all.take(i, 1.5 + random());
  }
  double x(Index i, Index j) const { return j < features ? table.row(i)[at(j)] : 1.0; }
  // sum weight x x' z over the given rows.
  std::vector<double> gram_times(const WeightedRows& some, const std::vector<double>& z) const {
    std::vector<double> sum(at(cols), 0.0);
    for (std::size_t k = 0; k < some.positions.size(); ++k) {
      double product = 0;
      for (Index j = 0; j < cols; ++j) product += x(some.positions[k], j) * z[at(j)];
      for (Index j = 0; j < cols; ++j) sum[at(j)] += some.weights[k] * x(some.positions[k], j) * product;
    }
    return sum;
  }
  WeightedRows part(Index first, Index last) const {
    WeightedRows some;
    for (Index i = first; i < last; ++i) some.take(static_cast<std::int32_t>(i), all.weights[at(i)]);
    return some;
  }
  NewtonMatrix matrix(const WeightedRows& some, Stop& stop) const {
    NewtonMatrix newton(*X, rows, 1, stop);
    newton.assemble({}, 0, {});
    newton.update(some, {}, [&] { return some; });
    return newton;
  }
};

SquaredPenalty penalty(bool free_offsets) {
  LinearProblem problem;
  problem.free_offsets = free_offsets;
  problem.sums = {3, 0};
  return {features, problem};
}

}  // namespace

TEST(squared_penalty_leaves_free_offsets_out) {
  for (Index j = 0; j < cols; ++j) {
    CHECK(penalty(false).covers(j) && penalty(false).curvature(j) == 1 && penalty(false).derivative(j, 0.5) == 0.5);
    if (j < features) CHECK(penalty(true).covers(j) && penalty(true).derivative(j, 0.5) == 0.5);
  }
  CHECK(!penalty(true).covers(features) && penalty(true).derivative(features, 0.5) == 3);
  CHECK(penalty(true).curvature(features) > 0);
}

TEST(newton_steps_solve_their_system_and_conjugate_gradients_nearly) {
  const System system;
  Stop stop;
  for (const bool is_free : {false, true}) {
    const double scale = 0.7;
    const std::vector<double> step = system.matrix(system.all, stop).step(system.gradient, scale, penalty(is_free));
    const std::vector<double> product = system.gram_times(system.all, step);
    for (Index j = 0; j < cols; ++j)
      CHECK_NEAR(penalty(is_free).curvature(j) * step[at(j)] + scale * product[at(j)], -system.gradient[at(j)],
                 of_rounding);
    const std::vector<double> nearly =
        step_by_conjugate_gradients(*system.X, system.all, scale, penalty(is_free), system.gradient, stop);
    double descent = 0;
    for (std::size_t j = 0; j < nearly.size(); ++j) {
      descent += nearly[j] * system.gradient[j];
      CHECK_NEAR(nearly[j], step[j], 0.05);
    }
    CHECK(descent < 0);
  }
}

TEST(newton_matrix_by_differences_is_the_one_summed_anew) {
  const System system;
  Stop stop;
  NewtonMatrix newton = system.matrix(system.part(0, 40), stop);
  bool is_anew = false;
  newton.update(system.part(40, 50), system.part(0, 5), [&] {
    is_anew = true;
    return WeightedRows{};
  });
  CHECK(!is_anew);
  const std::vector<double> z = Random(44).vector(cols), expected = system.gram_times(system.part(5, 50), z);
  std::vector<double> v(at(cols), 0.0);
  CHECK(newton.follow(z, 2.0, v) < 1e-12);
  for (std::size_t j = 0; j < v.size(); ++j) CHECK_NEAR(v[j], -2 * expected[j], of_rounding);
  // One that has lost most of its rows is summed from those that are left.
  newton.update({}, system.part(5, 25), [&] { return system.part(25, 50); });
  newton.update({}, system.part(25, 40), [&] {
    is_anew = true;
    return system.part(40, 50);
  });
  CHECK(is_anew);
  std::ranges::fill(v, 0.0);
  newton.follow(z, 1.0, v);
  const std::vector<double> left = system.gram_times(system.part(40, 50), z);
  for (std::size_t j = 0; j < v.size(); ++j) CHECK_NEAR(v[j], -left[j], of_rounding);
}

TEST(newton_steps_are_shorter_the_more_they_are_damped) {
  const System system;
  Stop stop;
  NewtonMatrix newton = system.matrix(system.part(0, 10), stop);
  const auto length = [&] {
    double sum = 0;
    for (const double s : newton.step(system.gradient, 1.0, penalty(false))) sum += s * s;
    return sum;
  };
  const double undamped = length();
  newton.damp_with(system.matrix(system.all, stop));
  const double damped = length();
  CHECK(damped < undamped);
  newton.adapt_damping(0.1);
  CHECK(length() < damped);
  newton.reset_damping();
  CHECK(length() == damped);
  newton.adapt_damping(1);
  CHECK(length() > damped);
}

TEST(line_search_goes_to_the_end_or_to_where_the_slope_vanishes) {
  // Of 1/2 curvature (t - best)^2, of which the rows make a part.
  for (const double best : {2.0, 1.0, 0.5, 0.01})
    for (const double of_penalty : {0.0, 0.3}) {
      const auto of_rows = [&](double t) { return LossSlope{(1 - of_penalty) * t, 1 - of_penalty}; };
      const double t = search_along({-best, of_penalty}, of_rows(1), of_rows);
      CHECK_NEAR(t, std::min(best, 1.0), 0.1 * best);
    }
  // Rows come in at a corner: the slope is flat before it and steep after.
  const auto corner = [](double t) { return t < 0.2 ? LossSlope{0, 0} : LossSlope{1000 * (t - 0.2), 1000}; };
  const double t = search_along({-1, 1e-6}, corner(1), corner);
  CHECK(t > 0.2 && std::abs(-1 + corner(t).first) <= 0.1 + 1e-6);
}

TEST(iterate_tells_gap_and_imbalance_by_their_definitions) {
  for (const bool is_free : {false, true}) {
    Iterate iterate{.penalty = penalty(is_free), .w = Random(45).vector(cols), .v = Random(46).vector(cols)};
    iterate.active.gap = 0.25;
    iterate.active.dual = 2;
    iterate.inactive.dual = 1;
    iterate.active.size = 3;
    iterate.inactive.size = 1;
    iterate.largest_norm = 2;
    double half_square = 0, of_v = 0;
    for (Index j = 0; j < (is_free ? features : cols); ++j) {
      const double off = iterate.w[at(j)] - iterate.v[at(j)];
      half_square += 0.5 * off * off;
      of_v += 0.5 * iterate.v[at(j)] * iterate.v[at(j)];
      CHECK_NEAR(iterate.gradient()[at(j)], off, of_rounding);
    }
    CHECK_NEAR(iterate.gap(), 0.25 + half_square, of_rounding);
    CHECK_NEAR(iterate.primal(), 3 - of_v + iterate.gap(), of_rounding);
    CHECK_NEAR(iterate.imbalance(), is_free ? std::abs(iterate.v.back() - 3) / 4 : 0, of_rounding);
    CHECK_NEAR(iterate.drift(), 2 * std::sqrt(2 * half_square), of_rounding);
    LinearOptions options;
    CHECK(!iterate.is_optimal(options) && !iterate.is_at_minimum(options));
    iterate.w = iterate.v;
    iterate.v.back() = is_free ? 3 : iterate.v.back();
    CHECK(!iterate.is_optimal(options) && iterate.is_at_minimum(options));  // what is left is the gap of the envelopes
    iterate.active.gap = 0;
    CHECK(iterate.is_optimal(options) && iterate.is_exact(options));
    iterate.active.gain_up = 0.1;
    options.tol = 0.01;
    CHECK(!iterate.is_optimal(options));
    iterate.rounding = 1;
    CHECK(!iterate.is_exact(options));
  }
}
