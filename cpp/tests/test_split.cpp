// Who works on what: ranges of centres are whole tiles, all of them together, and never many.
#include "check.hpp"
#include "tiles/split.hpp"

using namespace mercer;

TEST(split_parts_the_centres_of_few_queries) {
  for (const Index centres : {8192, 8193, 10'000, 200'000, 10'000'000})
    for (const Index queries : {1, 64, 768}) {
      const Split split = split_centres(queries, centres, 1);
      CHECK(split.ranges >= 2 && split.ranges <= 32);
      CHECK(split.centres_per_range % 256 == 0);
      CHECK((split.ranges - 1) * split.centres_per_range < centres);
      CHECK(split.ranges * split.centres_per_range >= centres);
    }
}

TEST(split_leaves_the_centres_of_many_queries_together) {
  const Split split = split_centres(769, 200'000, 1);
  CHECK(split.ranges == 1 && split.centres_per_range == 200'000);
}

TEST(split_leaves_few_centres_together) {
  for (const Index centres : {0, 1, 8191}) {
    const Split split = split_centres(1, centres, 1);
    CHECK(split.ranges == 1 && split.centres_per_range == centres);
  }
}

TEST(split_keeps_what_ranges_hold_within_bounds) {
  CHECK(split_centres(192, 1'000'000, 0).ranges == 32);
  CHECK(split_centres(192, 1'000'000, 4950).ranges <= 4);
  CHECK(split_centres(768, 1'000'000, 4950).ranges == 1);
  CHECK(split_centres(0, 1'000'000, 4950).ranges >= 1);
}
