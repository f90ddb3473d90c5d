// Problems in which the size of a coefficient has a price, or positive and negative coefficients have a sum each.
#include "check.hpp"
#include "problem.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// Noisy values of a curve.
struct Curve {
  Curve(Index n, unsigned seed) : X(random_table(n, 2, seed)), K(naive_matrix(rbf(2), X, X)), data(X) {
    Random random(seed + 1);
    for (Index i = 0; i < n; ++i) y.push_back(std::sin(3 * X.row(i)[0]) + X.row(i)[1] * X.row(i)[1] + 0.3 * random());
  }

  Index size() const { return static_cast<Index>(y.size()); }
  template <class T>
  std::unique_ptr<Gram<T>> gram(int threads = 1) const {
    return computed_gram<T>(std::make_shared<const Prepared<T>>(rbf(2), data), count_up_to(size()), threads);
  }
  // (K c)_i
  double product(const std::vector<double>& coef, Index i) const {
    double sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) sum += K.row(i)[j] * coef[j];
    return sum;
  }

  Table X, K;
  DenseData<double> data;
  std::vector<double> y;
};

// Regression with a tube of half-width e, as one problem in signed coefficients.
struct Tube {
  Tube(const Curve& of, double C, double e)
      : curve(of), lower(of.y.size(), -C), upper(of.y.size(), C), start(of.y.size(), 0.0), kink(of.y.size(), e) {}
  BoxQp qp() const { return {curve.y, lower, upper, start, kink}; }

  double objective(const std::vector<double>& coef) const {
    double value = 0;
    for (Index i = 0; i < curve.size(); ++i)
      value += coef[at(i)] * (0.5 * curve.product(coef, i) - curve.y[at(i)]) + kink[at(i)] * std::abs(coef[at(i)]);
    return value;
  }

  const Curve& curve;
  std::vector<double> lower, upper, start, kink;
};

// The same as LIBSVM has it: every row twice, as a coefficient above and one below, each with one bound and no kink.
double twin_objective(const Tube& tube, double tol) {
  const auto n = static_cast<std::size_t>(tube.curve.size());
  Table K{static_cast<Index>(2 * n), static_cast<Index>(2 * n), std::vector<double>(4 * n * n)};
  for (std::size_t i = 0; i < 2 * n; ++i)
    for (std::size_t j = 0; j < 2 * n; ++j)
      K.values[i * 2 * n + j] = tube.curve.K.row(static_cast<Index>(i % n))[j % n];
  std::vector<double> slope, lower, upper, start(2 * n, 0.0);
  for (const double sign : {1.0, -1.0})
    for (std::size_t i = 0; i < n; ++i) {
      slope.push_back(tube.curve.y[i] - sign * tube.kink[i]);
      lower.push_back(sign > 0 ? 0 : tube.lower[i]);
      upper.push_back(sign > 0 ? tube.upper[i] : 0);
    }
  const DenseData<double> stored(K);
  const auto gram = stored_gram<double>(stored.view(), count_up_to(static_cast<Index>(2 * n)), 1);
  Stop stop;
  const Solution solution = solve<double>({slope, lower, upper, start}, *gram, whole(tol), stop);
  CHECK(solution.status == Status::solved);
  std::vector<double> coef(n);
  for (std::size_t i = 0; i < n; ++i) coef[i] = solution.coef[i] + solution.coef[n + i];
  return tube.objective(coef);
}

// The largest violation over the sums, from the definition.
double violation(const BoxQp& qp, const Curve& curve, const std::vector<double>& coef) {
  double top[2] = {-infinity, -infinity}, bottom[2] = {infinity, infinity};
  for (std::size_t i = 0; i < coef.size(); ++i) {
    const double e = qp.kink.empty() ? 0 : qp.kink[i], c = coef[i];
    const double value = qp.linear[i] - curve.product(coef, static_cast<Index>(i));
    const int grows = qp.two_sums && c < 0, falls = qp.two_sums && c <= 0;
    if (c < qp.upper[i]) top[grows] = std::max(top[grows], value - (c < 0 ? -e : e));
    if (c > qp.lower[i]) bottom[falls] = std::min(bottom[falls], value + (c > 0 ? -e : e));
  }
  return std::max(top[0] - bottom[0], top[1] - bottom[1]);
}

struct PartSums {
  double positive = 0, negative = 0;
};
PartSums part_sums(std::span<const double> coef) {
  PartSums sums;
  for (const double c : coef) (c > 0 ? sums.positive : sums.negative) += c;
  return sums;
}

std::vector<SolverOptions> ways(double tol) { return {whole(tol), tiny_sets(tol)}; }

}  // namespace

TEST(kinks_are_what_twin_variables_are) {
  const Curve curve(60, 400);
  const auto check = [&](auto type, double C, double e, double tol) {
    using T = decltype(type);
    const Tube tube(curve, C, e);
    const double expected = twin_objective(tube, tol);
    for (const SolverOptions& options : ways(tol)) {
      Stop stop;
      const auto gram = curve.gram<T>();
      const Solution solution = solve<T>(tube.qp(), *gram, options, stop);
      CHECK(solution.status == Status::solved);
      CHECK(violation(tube.qp(), curve, solution.coef) <= 1.1 * tol);
      CHECK_NEAR(tube.objective(solution.coef), expected, 10 * tol * (1 + std::abs(expected)));
      double sum = 0;
      for (const double c : solution.coef) {
        CHECK(std::abs(c) <= C);
        sum += c;
      }
      CHECK_NEAR(sum, 0.0, 1e-12 * C * 60);
    }
  };
  for (const double C : {0.3, 10.0})
    for (const double e : {0.0, 0.05, 0.4}) {
      check(float{}, C, e, 1e-4);
      check(double{}, C, e, 1e-7);
    }
}

TEST(a_tube_wider_than_the_values_holds_them_all) {
  const Curve curve(40, 401);
  const Tube tube(curve, 1, 10);
  Stop stop;
  const auto gram = curve.gram<float>();
  const Solution solution = solve<float>(tube.qp(), *gram, whole(1e-3), stop);
  CHECK(solution.status == Status::solved && solution.steps == 0);
  CHECK(solution.coef == std::vector<double>(40, 0.0));
}

TEST(two_sums_stay_and_no_pair_within_one_violates) {
  const Curve curve(80, 402);
  const auto n = curve.y.size();
  const auto check = [&](auto type, const BoxQp& qp, double tol) {
    using T = decltype(type);
    for (const SolverOptions& options : ways(tol)) {
      Stop stop;
      const auto gram = curve.gram<T>();
      const Solution solution = solve<T>(qp, *gram, options, stop);
      CHECK(solution.status == Status::solved);
      CHECK(solution.steps > 0);
      CHECK(violation(qp, curve, solution.coef) <= 1.1 * tol);
      const PartSums before = part_sums(qp.start), after = part_sums(solution.coef);
      CHECK_NEAR(after.positive, before.positive, 1e-11 * before.positive);
      CHECK_NEAR(after.negative, before.negative, 1e-11 * before.positive);
    }
  };
  // As in nu-SVC: signs part the sums.
  std::vector<double> zero(n, 0.0), lower(n, 0.0), upper(n, 0.0), start(n, 0.0);
  for (const double sign : {1.0, -1.0}) {
    double left = 0.3 * static_cast<double>(n) / 2;
    for (std::size_t i = 0; i < n; ++i)
      if ((curve.y[i] > 0.6) == (sign > 0)) {
        (sign > 0 ? upper : lower)[i] = sign;
        start[i] = sign * std::min(1.0, left);
        left -= std::abs(start[i]);
      }
    CHECK(left == 0);
  }
  const BoxQp classes{zero, lower, upper, start, {}, true};
  check(float{}, classes, 1e-4);
  check(double{}, classes, 1e-7);
  // As in nu-SVR: every coefficient may be of either sign.
  std::vector<double> ones(n, 1.0), minus_ones(n, -1.0), both(n, 0.0);
  for (std::size_t i = 0; i < 12; ++i) both[i] = i % 2 == 0 ? 1 : -1;
  const BoxQp tube{curve.y, minus_ones, ones, both, {}, true};
  check(float{}, tube, 1e-4);
  check(double{}, tube, 1e-7);
}

// Values lie at two levels, a tube's width apart; far below the rounding of that width in float the steps must still
// tell who violates.
TEST(steps_on_two_levels_are_as_few_as_on_one) {
  const Curve curve(200, 403);
  const Tube tube(curve, 1, 0.3);
  for (const double tol : {1e-7, 1e-9}) {
    Stop stop;
    const auto gram = curve.gram<double>();
    const Solution solution = solve<double>(tube.qp(), *gram, whole(tol), stop);
    CHECK(solution.status == Status::solved && solution.steps < 4000);
    const auto single = curve.gram<float>();
    Stop again;
    CHECK(solve<float>(tube.qp(), *single, whole(tol), again).steps < 8000);
  }
}

// Of a cold start only the sums count: samples begin without weight and are given their share of it.
TEST(a_cold_start_through_samples_meets_the_sums) {
  const Curve curve(300, 404);
  const auto n = curve.y.size();
  std::vector<double> zero(n, 0.0), ones(n, 1.0), minus_ones(n, -1.0), one_class(n, 0.0), both(n, 0.0);
  for (std::size_t i = 0; i < 60; ++i) one_class[i] = 1;
  for (std::size_t i = 0; i < 80; ++i) both[i] = i % 2 == 0 ? 1 : -1;
  SolverOptions options = tiny_sets(1e-6);
  options.first_sample = 20;
  options.unit = 0;
  for (const bool two_sums : {false, true}) {
    BoxQp qp{two_sums ? std::span<const double>(curve.y) : zero,
             two_sums ? minus_ones : zero,
             ones,
             two_sums ? both : one_class,
             {},
             two_sums,
             true};
    Stop stop;
    const auto gram = curve.gram<double>();
    const Solution cold = solve<double>(qp, *gram, options, stop);
    CHECK(cold.status == Status::solved);
    CHECK(violation(qp, curve, cold.coef) <= 1.1e-6);
    const PartSums wanted = part_sums(qp.start), found = part_sums(cold.coef);
    CHECK_NEAR(found.positive, wanted.positive, 1e-10);
    CHECK_NEAR(found.negative, wanted.negative, 1e-10);
    // Stopped on the way, it still has them.
    for (const Index most : {0, 1, 20, 60}) {
      Stop early(infinity, most, nullptr);
      const PartSums reached = part_sums(solve<double>(qp, *gram, options, early).coef);
      CHECK_NEAR(reached.positive, wanted.positive, 1e-10);
      CHECK_NEAR(reached.negative, wanted.negative, 1e-10);
    }
  }
}
