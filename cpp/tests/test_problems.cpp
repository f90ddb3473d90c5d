// Problems one after the other: each is the part of the vectors that is its own.
#include <stdexcept>

#include "check.hpp"
#include "mercer/problems.hpp"

using namespace mercer;

namespace {

const std::vector<double> slope{1, 2, 3, 4, 5}, lower{-1, -2, -3, -4, -5}, upper{6, 7, 8, 9, 10}, start{0, 1, 0, 1, 0},
    kink{0.1, 0.2, 0.3, 0.4, 0.5};

bool is_part(std::span<const double> part, const std::vector<double>& whole, std::size_t first, std::size_t last) {
  return part.data() == whole.data() + first && part.size() == last - first;
}

}  // namespace

TEST(problems_are_views_of_their_rows) {
  const std::vector<Index> starts{0, 2, 2};
  const Problems problems({slope, lower, upper, start, kink, true, true}, starts);
  CHECK(problems.count() == 3 && problems.rows() == 5);
  const std::size_t first[] = {0, 2, 2}, last[] = {2, 2, 5};
  for (Index k = 0; k < 3; ++k) {
    const std::size_t a = first[k], b = last[k];
    CHECK(problems.first(k) == static_cast<Index>(a) && problems.last(k) == static_cast<Index>(b));
    const BoxQp qp = problems[k];
    CHECK(is_part(qp.linear, slope, a, b) && is_part(qp.lower, lower, a, b) && is_part(qp.upper, upper, a, b));
    CHECK(is_part(qp.start, start, a, b) && is_part(qp.kink, kink, a, b));
    CHECK(qp.two_sums && qp.cold);
  }
}

TEST(problems_without_a_price_have_none) {
  const std::vector<Index> starts{0, 3};
  const Problems problems({slope, lower, upper, start}, starts);
  CHECK(problems[0].kink.empty() && problems[1].kink.empty());
  CHECK(!problems[0].two_sums && !problems[0].cold && problems[1].linear.size() == 2);
}

TEST(problems_may_be_none_and_have_no_rows) {
  CHECK(Problems({slope, lower, upper, start}, {}).count() == 0);
  const std::vector<Index> starts{0};
  const Problems empty(BoxQp{}, starts);
  CHECK(empty.count() == 1 && empty[0].linear.empty());
}

TEST(problems_refuse_vectors_of_other_lengths) {
  const std::vector<Index> starts{0};
  const std::vector<double> four(4, 0.0), six(6, 0.0);
  CHECK_THROWS(std::invalid_argument, Problems({slope, four, upper, start}, starts));
  CHECK_THROWS(std::invalid_argument, Problems({slope, lower, six, start}, starts));
  CHECK_THROWS(std::invalid_argument, Problems({slope, lower, upper, {}}, starts));
  CHECK_THROWS(std::invalid_argument, Problems({slope, lower, upper, start, four}, starts));
}

TEST(problems_refuse_beginnings_that_are_not_in_order) {
  for (const std::vector<Index>& starts :
       {std::vector<Index>{1}, std::vector<Index>{0, 3, 2}, std::vector<Index>{0, 6}, std::vector<Index>{-1, 2}})
    CHECK_THROWS(std::invalid_argument, Problems({slope, lower, upper, start}, starts));
}

TEST(problems_hold_out_rows_of_their_own) {
  const std::vector<Index> starts{0, 2}, some{1, 3}, too_many{1, 4}, negative{-1, 0}, one{1};
  const BoxQp all{slope, lower, upper, start};
  CHECK(Problems(all, starts)[1].held_out == 0);
  CHECK(Problems(all, starts, some)[0].held_out == 1 && Problems(all, starts, some)[1].held_out == 3);
  for (const auto& wrong : {too_many, negative, one}) CHECK_THROWS(std::invalid_argument, Problems(all, starts, wrong));
}
