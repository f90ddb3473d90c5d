// Parts of Newton's method for weights with an absolute penalty: the matrix, and feasible points of the dual.
#include <algorithm>

#include "check.hpp"
#include "linear/lasso/feasible_multiple.hpp"
#include "linear/lasso/margin_gram.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(margin_gram_follows_the_rows_within_the_margin) {
  const Table table = random_table(80, 6, 51);
  const auto X = linear_rows(Dense<double>{table.values.data(), 80, 6}, {}, offset_column(0.5));
  Random random(52);
  std::vector<double> weight(80);
  for (double& w : weight) w = 1.5 + random();
  Stop stop;
  MarginGram gram(*X, weight, 2, stop);
  // Some cross the margin, then most leave it, then others come in.
  for (const double share : {0.9, 0.8, 0.1, 0.15, 1.0, 0.0}) {
    std::vector<std::int32_t> inside;
    for (std::int32_t i = 0; i < 80; ++i)
      if (0.5 * (random() + 1) < share) inside.push_back(i);
    gram.follow(inside);
    std::vector<double> expected(49, 0.0);
    for (const std::int32_t i : inside)
      for (Index a = 0; a < 7; ++a)
        for (Index b = 0; b <= a; ++b)
          expected[at(7 * a + b)] +=
              weight[at(i)] * (a < 6 ? table.row(i)[at(a)] : 0.5) * (b < 6 ? table.row(i)[at(b)] : 0.5);
    for (Index a = 0; a < 7; ++a)
      for (Index b = 0; b <= a; ++b) CHECK_NEAR(gram.data()[7 * a + b], expected[at(7 * a + b)], 1e-11);
  }
}

TEST(feasible_multiple_is_the_best_one) {
  const std::vector<double> slope{1, -1, 1}, weight{2, 4, 6}, coef{1.5, -0.5, 0.0};
  LinearProblem problem;
  problem.slope = slope;
  problem.weight = weight;
  const double scale = 0.5;
  const auto dual = [&](double factor) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double c = factor * coef[i];
      sum += c * slope[i] - c * c / (2 * scale * weight[i]);
    }
    return sum;
  };
  for (const double largest : {0.1, 1.0, 10.0}) {
    const FeasibleMultiple found(problem, scale, coef, largest);
    CHECK(found.factor * largest <= 1 + 1e-15);
    CHECK_NEAR(found.dual, dual(found.factor), 1e-12);
    for (double factor = 0; factor * largest <= 1 && factor < 3; factor += 0.01)
      CHECK(dual(factor) <= found.dual + 1e-12);
  }
}
