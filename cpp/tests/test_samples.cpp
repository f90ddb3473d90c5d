// Samples: the order of the rows, and how many of them each has.
#include <algorithm>

#include "check.hpp"
#include "mercer/indexing.hpp"
#include "reference.hpp"
#include "solver/samples.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(samples_have_every_row_in_the_same_order_each_time) {
  const std::vector<Index> order = sample_order(100, 10);
  CHECK(order == sample_order(100, 10) && order != count_up_to(100));
  std::vector<Index> sorted = order;
  std::ranges::sort(sorted);
  CHECK(sorted == count_up_to(100));
}

TEST(samples_leave_the_order_where_the_first_one_is_the_whole) {
  CHECK(sample_order(100, 100) == count_up_to(100));
  CHECK(sample_order(0, 10).empty());
}

TEST(samples_leave_the_rows_that_are_held_out_behind_all_others) {
  const std::vector<Index> order = sample_order(100, 10, 30);
  for (std::size_t k = 70; k < 100; ++k) CHECK(order[k] == static_cast<Index>(k));
  std::vector<Index> others(order.begin(), order.begin() + 70);
  CHECK(others != count_up_to(70));
  std::ranges::sort(others);
  CHECK(others == count_up_to(70));
}

TEST(samples_double_and_are_smaller_than_the_whole) {
  CHECK(sample_sizes(100, 10) == (std::vector<Index>{12, 25, 50}));
  CHECK(sample_sizes(100, 50) == (std::vector<Index>{50}));
  CHECK(sample_sizes(100, 51).empty() && sample_sizes(0, 10).empty());
  CHECK(sample_sizes(5, 0) == (std::vector<Index>{1, 2}));
}

TEST(samples_go_back_to_the_given_order) {
  const std::vector<Index> order = sample_order(50, 10);
  Random random(600);
  const std::vector<double> given = random.vector(50);
  CHECK(in_given_order(gathered(given, order), order) == given);
}
