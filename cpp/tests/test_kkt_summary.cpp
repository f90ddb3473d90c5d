// What the optimality conditions say of coefficients, against the definitions by hand and in plain loops.
#include <stdexcept>

#include "check.hpp"
#include "mercer/kkt_summary.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

KktSummary summarised(const BoxQp& qp, const std::vector<Index>& starts, const std::vector<double>& coef,
                      const std::vector<double>& products) {
  const Problems problems(qp, starts);
  return summarise_kkt({problems, coef, products, 1e-12});
}

}  // namespace

TEST(kkt_summary_tells_what_each_problem_allows) {
  // Two problems: in the first a free row decides, in the second all rows are at a bound.
  const std::vector<double> slope{1, 1, -1, 1, -1}, lower{0, 0, -2, 0, -2}, upper{2, 2, 0, 2, 0};
  const std::vector<double> coef{1, 0, -1, 2, -2}, products{0.5, 0.2, -0.4, 0.7, -0.1}, start{0, 0, 0, 0, 0.5};
  const std::vector<Index> starts{0, 3};
  const KktSummary found = summarised({slope, lower, upper, start, {}, false}, starts, coef, products);
  CHECK_NEAR(found.least[0], 0.8, 1e-15);     // row 1 can grow: 1 - 0.2
  CHECK_NEAR(found.largest[0], -0.6, 1e-15);  // row 2 can fall: -1 + 0.4
  CHECK_NEAR(found.best[0], 0.5 * (0.5 - 0.6), 1e-15);
  CHECK_NEAR(found.least[1], -0.9, 1e-15);   // row 4 can grow
  CHECK_NEAR(found.largest[1], 0.3, 1e-15);  // row 3 can fall
  CHECK_NEAR(found.best[1], -0.3, 1e-15);
  CHECK(found.imbalance == 0.5 && found.size == std::vector<double>({2, 4}));
  CHECK(found.inside && found.largest_linear == 1 && found.largest_bound == 2);
}

TEST(kkt_summary_sees_the_price_of_a_coefficient_and_two_sums) {
  const std::vector<double> slope{3, 1, -2, 0}, lower(4, -1.0), upper(4, 1.0), coef{0.5, 0, -0.5, 0},
      start{0.5, 0.5, -0.25, 0};
  const std::vector<double> products(4, 0.0), kink{0.2, 0.3, 0.4, 0.1};
  const std::vector<Index> starts{0};
  const KktSummary one = summarised({slope, lower, upper, start, kink, false}, starts, coef, products);
  CHECK_NEAR(one.least[0], 2.8, 1e-15);     // row 0 grows at its price
  CHECK_NEAR(one.largest[0], -1.6, 1e-15);  // row 2 falls at its price
  CHECK_NEAR(one.best[0], 0.5 * (2.8 - 1.6), 1e-15);
  const KktSummary two = summarised({slope, lower, upper, start, {}, true}, starts, coef, products);
  CHECK(two.least.size() == 2 && two.least[0] == 3 && two.least[1] == -2);
  CHECK(two.largest[0] == 3 && two.largest[1] == -2);
  CHECK(two.best[0] == 3 && two.best[1] == -2);
  CHECK(one.imbalance == 0.75 && two.imbalance == 0.5 && two.size == std::vector<double>({1}));
}

TEST(kkt_summary_knows_what_lies_outside) {
  const std::vector<double> slope{1}, lower{0}, upper{2}, products{0}, start{0};
  const std::vector<Index> starts{0};
  for (const double c : {-0.1, 2.1, std::nan("")}) {
    const std::vector<double> coef{c};
    CHECK(!summarised({slope, lower, upper, start, {}, false}, starts, coef, products).inside);
  }
  const std::vector<double> at_bound{2};
  const KktSummary found = summarised({slope, lower, upper, start, {}, false}, starts, at_bound, products);
  CHECK(found.inside && found.least[0] == -infinity && found.largest[0] == 1 && found.best[0] == 1);
}

TEST(kkt_summary_refuses_coefficients_and_products_of_another_length) {
  const std::vector<double> two{1, 1}, lower{0, 0};
  const std::vector<Index> starts{0};
  const BoxQp qp{two, lower, two, lower};
  CHECK_THROWS(std::invalid_argument, summarised(qp, starts, {1}, two));
  CHECK_THROWS(std::invalid_argument, summarised(qp, starts, two, {1, 2, 3}));
}
