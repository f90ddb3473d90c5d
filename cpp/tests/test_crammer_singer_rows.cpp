// One row of Crammer and Singer's problem: its optimum, how it stands, and the weights it adds to.
#include <algorithm>
#include <limits>

#include "check.hpp"
#include "linear/crammer_singer/class_weights.hpp"
#include "linear/crammer_singer/row_optimum.hpp"
#include "linear/crammer_singer/row_standing.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double of_rounding = 1e-12;

double objective(const std::vector<double>& B, const std::vector<double>& alpha, double norm) {
  double sum = 0;
  for (std::size_t m = 0; m < B.size(); ++m) sum += 0.5 * norm * alpha[m] * alpha[m] + B[m] * alpha[m];
  return sum;
}

}  // namespace

TEST(crammer_singer_row_optimum_is_feasible_and_no_move_between_two_classes_gains) {
  for (const Index classes : {2, 3, 5, 16})
    for (const double C : {1e-3, 1.0, 1e3})
      for (const double norm : {0.1, 3.0})
        for (unsigned seed = 1; seed < 6; ++seed) {
          const std::vector<double> B = Random(seed).vector(classes);
          std::vector<double> used = B, alpha(at(classes));
          const Index y = seed % classes;
          RowOptimum(classes).find(used.data(), y, C, norm, alpha.data());
          double sum = 0;
          for (Index m = 0; m < classes; ++m) {
            sum += alpha[at(m)];
            CHECK(alpha[at(m)] <= (m == y ? C : 0.0));
          }
          CHECK_NEAR(sum, 0, of_rounding * (1 + C));
          const double best = objective(B, alpha, norm), by = 1e-3 * C;
          for (Index a = 0; a < classes; ++a)
            for (Index b = 0; b < classes; ++b) {
              std::vector<double> other = alpha;
              other[at(a)] += by;
              other[at(b)] -= by;
              if (a != b && other[at(a)] <= (a == y ? C : 0.0)) CHECK(objective(B, other, norm) >= best - of_rounding);
            }
        }
}

TEST(crammer_singer_row_standing_is_that_of_the_definitions) {
  for (const Index classes : {2, 3, 4, 5, 9}) {
    const Index padded = padded_classes(classes);
    CHECK(padded % lanes<double> == 0 && padded >= classes && padded < classes + lanes<double>);
    std::vector<double> values = Random(3).vector(padded), alpha(at(padded), 0.0);
    std::fill(values.begin() + classes, values.end(), never_largest);
    const double C = 2;
    alpha[1] = 1.5;
    alpha[0] = -1.5;
    const RowStanding found = standing_of(values.data(), alpha.data(), classes, 1, C);
    const double largest = *std::max_element(values.begin(), values.begin() + classes);
    CHECK_NEAR(found.loss, C * (largest - values[1]), of_rounding);
    CHECK_NEAR(found.gap, found.loss + 1.5 * (values[1] - values[0]), of_rounding);
    CHECK_NEAR(found.violation, largest - std::min(values[0], values[1]), of_rounding);
  }
  // All of it is at the class that is largest: it holds with the distance to the next.
  const double values[] = {3, 1, 2.5, never_largest}, alpha[] = {-2, 2, 0, 0};
  const RowStanding held = standing_of(values, alpha, 3, 1, 2.0);
  CHECK(held.loss == 4 && held.gap == 0 && held.violation == -0.5);
}

TEST(crammer_singer_class_weights_are_sums_of_rows) {
  const Table table = random_table(6, 5, 13, 0.7);
  const Index classes = 3;
  for (const double offset : {0.0, 2.0}) {
    ClassWeights weights(Dense<double>{table.values.data(), 6, 5}, offset_column(offset), classes);
    const Index cols = weights.cols();
    CHECK(cols == (offset != 0 ? 6 : 5));
    std::vector<double> expected(at(classes * cols), 0.0);
    const auto x = [&](Index i, Index j) { return j < 5 ? table.row(i)[at(j)] : offset; };
    for (Index i = 0; i < 6; ++i) {
      std::vector<double> coef = Random(static_cast<unsigned>(i) + 20).vector(padded_classes(classes));
      std::fill(coef.begin() + classes, coef.end(), 0.0);
      weights.add(i, coef.data());
      for (Index m = 0; m < classes; ++m)
        for (Index j = 0; j < cols; ++j) expected[at(m * cols + j)] += coef[at(m)] * x(i, j);
    }
    const std::vector<double> found = weights.by_class();
    double half_norm = 0, norm = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK_NEAR(found[k], expected[k], of_rounding);
      half_norm += 0.5 * expected[k] * expected[k];
    }
    CHECK_NEAR(weights.half_norm(), half_norm, of_rounding);
    std::vector<double> values(at(padded_classes(classes)));
    weights.values_of(4, 1, values.data());
    for (Index m = 0; m < classes; ++m) {
      double f = m == 1 ? 0 : 1;
      for (Index j = 0; j < cols; ++j) f += expected[at(m * cols + j)] * x(4, j);
      CHECK_NEAR(values[at(m)], f, of_rounding);
    }
    for (Index j = 0; j < cols; ++j) norm += x(4, j) * x(4, j);
    CHECK_NEAR(weights.squared_norm(4), norm, of_rounding);
    CHECK(values.back() == never_largest);
  }
}
