// Where coefficients stand, against the definitions by hand and in plain loops.
#include "check.hpp"
#include "mercer/standing.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST(standing_tells_what_each_problem_allows) {
  // Two problems: in the first a free row decides, in the second all rows are at a bound.
  const std::vector<double> slope{1, 1, -1, 1, -1}, lower{0, 0, -2, 0, -2}, upper{2, 2, 0, 2, 0};
  const std::vector<double> coef{1, 0, -1, 2, -2}, products{0.5, 0.2, -0.4, 0.7, -0.1}, start{0, 0, 0, 0, 0.5};
  const std::vector<Index> starts{0, 3};
  const Standing found = standing({slope, lower, upper, {}, false, start, coef, products, starts, 1e-12});
  CHECK_NEAR(found.least[0], 0.8, 1e-15);     // row 1 can grow: 1 - 0.2
  CHECK_NEAR(found.largest[0], -0.6, 1e-15);  // row 2 can fall: -1 + 0.4
  CHECK_NEAR(found.best[0], 0.5 * (0.5 - 0.6), 1e-15);
  CHECK_NEAR(found.least[1], -0.9, 1e-15);   // row 4 can grow
  CHECK_NEAR(found.largest[1], 0.3, 1e-15);  // row 3 can fall
  CHECK_NEAR(found.best[1], -0.3, 1e-15);
  CHECK(found.imbalance == 0.5 && found.size == std::vector<double>({2, 4}));
  CHECK(found.inside && found.largest_slope == 1 && found.largest_bound == 2);
}

TEST(standing_sees_the_price_of_a_coefficient_and_two_sums) {
  const std::vector<double> slope{3, 1, -2, 0}, lower(4, -1.0), upper(4, 1.0), coef{0.5, 0, -0.5, 0},
      start{0.5, 0.5, -0.25, 0};
  const std::vector<double> products(4, 0.0), kink{0.2, 0.3, 0.4, 0.1};
  const std::vector<Index> starts{0};
  const Standing one = standing({slope, lower, upper, kink, false, start, coef, products, starts, 1e-12});
  CHECK_NEAR(one.least[0], 2.8, 1e-15);     // row 0 grows at its price
  CHECK_NEAR(one.largest[0], -1.6, 1e-15);  // row 2 falls at its price
  CHECK_NEAR(one.best[0], 0.5 * (2.8 - 1.6), 1e-15);
  const Standing two = standing({slope, lower, upper, {}, true, start, coef, products, starts, 1e-12});
  CHECK(two.least.size() == 2 && two.least[0] == 3 && two.least[1] == -2);
  CHECK(two.largest[0] == 3 && two.largest[1] == -2);
  CHECK(two.best[0] == 3 && two.best[1] == -2);
  CHECK(one.imbalance == 0.75 && two.imbalance == 0.5 && two.size == std::vector<double>({1}));
}

TEST(standing_knows_what_lies_outside) {
  const std::vector<double> slope{1}, lower{0}, upper{2}, products{0}, start{0};
  const std::vector<Index> starts{0};
  for (const double c : {-0.1, 2.1, std::nan("")}) {
    const std::vector<double> coef{c};
    CHECK(!standing({slope, lower, upper, {}, false, start, coef, products, starts, 1e-12}).inside);
  }
  const std::vector<double> at_bound{2};
  const Standing found = standing({slope, lower, upper, {}, false, start, at_bound, products, starts, 1e-12});
  CHECK(found.inside && found.least[0] == -infinity && found.largest[0] == 1 && found.best[0] == 1);
}
