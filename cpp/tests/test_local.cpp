// Local regression against plain loops.
#include <algorithm>

#include "check.hpp"
#include "local/monomials.hpp"
#include "mercer/cholesky.hpp"
#include "mercer/local.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr Window windows[] = {Window::tophat,    Window::triangular, Window::epanechnikov, Window::biweight,
                              Window::triweight, Window::tricube,    Window::gaussian};

double naive_window(Window window, double r) {
  if (window == Window::gaussian) return std::exp(-0.5 * r * r);
  if (r > 1) return 0;
  const double by_square = 1 - r * r, by_cube = 1 - r * r * r;
  switch (window) {
    case Window::tophat: return 1;
    case Window::triangular: return 1 - r;
    case Window::epanechnikov: return by_square;
    case Window::biweight: return by_square * by_square;
    case Window::triweight: return by_square * by_square * by_square;
    default: return by_cube * by_cube * by_cube;
  }
}

struct Problem {
  std::vector<double> X, y, prior, noise;
  Index n, d;
};

Problem problem_of(Index n, Index d, bool sorted) {
  Random random(50);
  Problem problem{random.vector(n * d), random.vector(n), random.vector(n), random.vector(n), n, d};
  if (sorted) std::ranges::sort(problem.X);
  for (double& v : problem.prior) v = 0.5 + v * v;
  for (double& v : problem.noise) v = 0.5 + v * v;
  return problem;
}

struct Expected {
  double value, inverse, squares;
};

// The normal equations about the query.
Expected naive_fit(const Problem& p, const double* query, double inverse_radius, Window window, Index order) {
  std::vector<std::vector<double>> phi;
  std::vector<double> weights;
  const Monomials monomials(p.d, order);
  const Index size = monomials.count();
  for (Index i = 0; i < p.n; ++i) {
    std::vector<double> u, row(at(size));
    double squared = 0;
    for (Index k = 0; k < p.d; ++k) {
      u.push_back(p.X[at(i * p.d + k)] - query[k]);
      squared += u.back() * u.back();
    }
    monomials.evaluate(u.data(), row.data());
    phi.push_back(row);
    weights.push_back(p.prior[at(i)] * naive_window(window, std::sqrt(squared) * inverse_radius));
  }
  std::vector<double> A(at(size * size), 0.0), c(at(size), 0.0);
  for (Index i = 0; i < p.n; ++i)
    for (Index a = 0; a < size; ++a)
      for (Index b = 0; b < size; ++b) A[at(a * size + b)] += weights[at(i)] * phi[at(i)][at(a)] * phi[at(i)][at(b)];
  c[0] = 1;
  CHECK(cholesky(A.data(), size));
  cholesky_solve(A.data(), size, c.data(), 1);
  Expected expected{0, c[0], 0};
  for (Index i = 0; i < p.n; ++i) {
    double l = 0;
    for (Index a = 0; a < size; ++a) l += weights[at(i)] * phi[at(i)][at(a)] * c[at(a)];
    expected.value += l * p.y[at(i)];
    expected.squares += l * l * p.noise[at(i)];
  }
  return expected;
}

void check_fit(const LocalFits& found, Index q, const Expected& expected) {
  CHECK_NEAR(found.values[at(q)], expected.value, 1e-9 * (1 + std::abs(expected.value)));
  CHECK_NEAR(found.inverse[at(q)], expected.inverse, 1e-9 * expected.inverse);
  CHECK_NEAR(found.squares[at(q)], expected.squares, 1e-9 * expected.squares);
  CHECK(found.states[at(q)] == static_cast<std::uint8_t>(LocalState::solved));
}

}  // namespace

TEST(local_line_is_that_of_plain_loops) {
  const LevelGuard guard;
  for (const std::string_view level : simd_levels()) {
    set_simd_level(level);
    for (const Window window : windows)
      for (const Index order : {0, 1, 2}) {
        // Few queries go row by row, the others through moments.
        for (const Index asked : {2, 300}) {
          const Problem p = problem_of(3001, 1, true);
          const std::vector<double> queries(at(asked), 0.1), inverse(at(asked), 0.5);
          std::vector<std::int64_t> begins, ends;
          const double reach = window == Window::gaussian ? 100 : 2;
          for (const double q : queries) {
            begins.push_back(std::ranges::lower_bound(p.X, q - reach) - p.X.begin());
            ends.push_back(std::ranges::upper_bound(p.X, q + reach) - p.X.begin());
          }
          const LineTask task{
              {p.X.data(), p.y.data(), p.prior.data(), p.noise.data(), p.n}, queries, inverse, begins, ends};
          const LocalFits found = fit_line(task, {window, order, 1e-10, true}, {2, nullptr});
          check_fit(found, asked - 1, naive_fit(p, queries.data(), 0.5, window, order));
        }
      }
  }
}

TEST(local_cloud_is_that_of_plain_loops) {
  const LevelGuard guard;
  for (const std::string_view level : simd_levels()) {
    set_simd_level(level);
    const Problem p = problem_of(150, 3, false);
    const std::vector<double> queries = Random(51).vector(3 * 4), inverse(4, 0.2);
    std::vector<std::int64_t> begins{0}, list;
    for (Index q = 0; q < 4; ++q) {
      for (Index i = p.n - 1; i >= 0; --i) list.push_back(i);
      begins.push_back(static_cast<std::int64_t>(list.size()));
    }
    for (const Window window : windows)
      for (const Index order : {0, 1, 2})
        for (const bool is_listed : {false, true}) {
          CloudTask task{
              {p.X.data(), p.n, 3}, {p.y.data(), p.n, 1}, p.prior, p.noise, {queries.data(), 4, 3}, inverse, {}, {}};
          if (is_listed) task.begins = begins, task.list = list;
          const LocalFits found = fit_cloud(task, {window, order, 1e-10, true}, {2, nullptr});
          for (Index q = 0; q < 4; ++q) {
            const Expected expected = naive_fit(p, queries.data() + 3 * q, 0.2, window, order);
            check_fit(found, q, expected);
          }
          const std::vector<double> kernels = equivalent_kernels(task, {window, order, 1e-10, false}, {1, nullptr});
          double value = 0;
          for (Index i = 0; i < p.n; ++i) value += kernels[at(i)] * p.y[at(i)];
          CHECK_NEAR(value, found.values[0], 1e-9 * (1 + std::abs(value)));
        }
  }
}

TEST(local_windows_without_rows_are_empty_and_single_rows_say_so) {
  const std::vector<double> x{0, 1, 2}, y{5, 6, 7}, ones(3, 1.0), queries{1.0, 50.0}, inverse{2.0, 1.0};
  const std::vector<std::int64_t> begins{0, 3}, ends{3, 3};
  const LineTask task{{x.data(), y.data(), ones.data(), ones.data(), 3}, queries, inverse, begins, ends};
  const LocalFits found = fit_line(task, {Window::tricube, 1, 1e-10, true}, {1, nullptr});
  CHECK(found.values[0] == 6);
  CHECK(found.states[1] == static_cast<std::uint8_t>(LocalState::empty));
  CHECK(std::isnan(found.values[1]));
}

TEST(local_monomials_are_closed_under_products) {
  const Monomials monomials(3, 4);
  CHECK(monomials.count() == 35);
  CHECK(monomials.count_up_to(2) == 10);
  const double u[] = {2, 3, 5};
  std::vector<double> values(35);
  monomials.evaluate(u, values.data());
  for (Index a = 0; a < 10; ++a)
    for (Index b = 0; b < 10; ++b) CHECK(values[at(monomials.product(a, b))] == values[at(a)] * values[at(b)]);
}

TEST(kth_distances_are_those_of_a_sort) {
  const Table X = random_table(40, 3, 52);
  std::vector<double> all;
  for (Index i = 0; i < 40; ++i) {
    double sum = 0;
    for (Index k = 0; k < 3; ++k) {
      const double apart = X.values[at(3 * i + k)] - X.values[at(k)];
      sum += apart * apart;
    }
    all.push_back(std::sqrt(sum));
  }
  std::ranges::sort(all);
  for (const Index k : {1, 7, 40})
    CHECK_NEAR(kth_distances({X.values.data(), 40, 3}, {X.values.data(), 1, 3}, k, {1, nullptr})[0], all[at(k - 1)],
               1e-14);
}

TEST(kth_distances_of_many_rows_are_those_of_a_sort) {
  // In ascending order, shuffled, and all equal: a sample tells where the k-th is, or does not.
  const Index n = 3000;
  std::vector<double> ascending, shuffled, equal(at(n), 2.0);
  for (Index i = 0; i < n; ++i) ascending.push_back(static_cast<double>(i));
  for (Index i = 0; i < n; ++i) shuffled.push_back(static_cast<double>(i * 1009 % n));
  // What a sample at equal steps sees is far larger than all else.
  std::vector<double> deceptive = ascending;
  for (Index i = 0; i < 256; ++i) deceptive[at(i * n / 256)] = 1e6;
  const double query = 0;
  for (const auto* rows : {&ascending, &shuffled, &equal, &deceptive}) {
    std::vector<double> all = *rows;
    std::ranges::sort(all);
    for (const Index k : {Index{1}, Index{2}, Index{70}, n / 2, n - 1, n})
      CHECK(kth_distances({rows->data(), n, 1}, {&query, 1, 1}, k, {1, nullptr})[0] == all[at(k - 1)]);
  }
}

TEST(lowess_anchors_skip_what_is_near_and_stand_for_ties) {
  const std::vector<double> x{0, 0, 1, 2, 3, 10, 11};
  CHECK(lowess_anchors(x, 0.0) == std::vector<std::int64_t>{0, 2, 3, 4, 5, 6});
  CHECK(lowess_anchors(x, 2.5) == std::vector<std::int64_t>{0, 3, 4, 5, 6});
}
