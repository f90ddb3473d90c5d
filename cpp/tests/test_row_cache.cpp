// The row cache: what it may hold, who leaves first.
#include "check.hpp"
#include "mercer/row_cache.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr Index value_bytes = sizeof(double);

double entry(Index row, Index column) { return static_cast<double>(1000 * row + column); }

void fill(double* values, Index row, Index length) {
  for (Index k = 0; k < length; ++k) values[k] = entry(row, k);
}

// Puts the row in, with values that tell which it is.
bool put(RowCache<double>& cache, Index row, Index length) {
  double* values = cache.insert(row);
  if (values) fill(values, row, length);
  return values != nullptr;
}

}  // namespace

TEST(row_cache_holds_what_its_bytes_allow) {
  CHECK(RowCache<double>(100, 10, 10 * value_bytes * 3).capacity() == 3);
  CHECK(RowCache<double>(100, 10, 10 * value_bytes * 3 - 1).capacity() == 2);
  CHECK(RowCache<float>(100, 10, 10 * 4 * 5).capacity() == 5);
  CHECK(RowCache<double>(4, 10, 1'000'000).capacity() == 4);
}

TEST(row_cache_without_room_keeps_nothing) {
  for (const Index bytes : {Index(-5000), Index(0), 10 * value_bytes - 1}) {
    RowCache<double> cache(100, 10, bytes);
    CHECK(cache.capacity() == 0);
    cache.age();
    CHECK(cache.insert(3) == nullptr);
    CHECK(cache.find(3) == nullptr);
  }
  CHECK(RowCache<double>(0, 0, 100).capacity() == 0);
}

TEST(row_cache_gives_back_the_values_of_each_row) {
  constexpr Index length = 6;
  RowCache<double> cache(length, length, 4 * length * value_bytes);
  for (const Index row : {5, 0, 3, 2}) CHECK(put(cache, row, length));
  for (const Index row : {5, 0, 3, 2}) {
    const double* values = cache.find(row);
    CHECK(values != nullptr);
    for (Index k = 0; values && k < length; ++k) CHECK(values[k] == entry(row, k));
  }
  CHECK(cache.find(1) == nullptr && cache.find(4) == nullptr);
}

TEST(row_cache_evicts_the_least_recently_used_row) {
  RowCache<double> cache(10, 10, 3 * 10 * value_bytes);
  for (const Index row : {0, 1, 2}) put(cache, row, 10);
  cache.age();
  CHECK(cache.find(0) != nullptr);
  CHECK(put(cache, 3, 10));  // in the place of 1
  CHECK(cache.find(1) == nullptr);
  CHECK(put(cache, 4, 10));  // in the place of 2
  CHECK(cache.find(2) == nullptr);
  for (const Index row : {0, 3, 4}) CHECK(cache.find(row) != nullptr && cache.find(row)[7] == entry(row, 7));
}

TEST(row_cache_does_not_evict_fresh_rows) {
  RowCache<double> cache(10, 10, 2 * 10 * value_bytes);
  put(cache, 0, 10);
  put(cache, 1, 10);
  CHECK(cache.insert(2) == nullptr);
  cache.age();
  CHECK(cache.find(0) != nullptr);
  CHECK(put(cache, 2, 10));
  CHECK(cache.insert(3) == nullptr);
  CHECK(cache.find(0) != nullptr && cache.find(2) != nullptr && cache.find(1) == nullptr);
}

TEST(row_cache_used_again_and_again_keeps_the_right_values) {
  constexpr Index rows = 40, length = 7, capacity = 6;
  Random random(70);
  RowCache<double> cache(rows, length, capacity * length * value_bytes);
  Index found = 0;
  for (int round = 0; round < 500; ++round) {
    cache.age();
    std::vector<Index> fresh;
    for (int k = 0; k < 5; ++k) {
      const auto row = static_cast<Index>(0.5 * (random() + 1) * rows);
      if (const double* values = cache.find(row)) {
        ++found;
        for (Index c = 0; c < length; ++c) CHECK(values[c] == entry(row, c));
      } else {
        CHECK(put(cache, row, length));  // fewer rows a round than there is room for
      }
      fresh.push_back(row);
    }
    for (const Index row : fresh) CHECK(cache.find(row) != nullptr && cache.find(row)[1] == entry(row, 1));
    Index held = 0;
    for (Index row = 0; row < rows; ++row) held += cache.find(row) != nullptr;
    CHECK(held <= capacity);
  }
  CHECK(found > 100);
}
