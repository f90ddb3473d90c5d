// The row cache: what it may hold, who leaves first, what survives a restriction.
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
    const std::vector<Index> kept{1, 3};
    cache.restrict_to(kept);
    CHECK(cache.find(1) == nullptr);
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

TEST(row_cache_restricted_keeps_the_values_of_the_rows_and_columns_left) {
  for (Index capacity = 1; capacity <= 8; ++capacity) {
    RowCache<double> cache(8, 8, capacity * 8 * value_bytes);
    std::vector<Index> inserted;
    for (const Index row : {6, 1, 7, 3, 0, 4, 2, 5})
      if (put(cache, row, 8)) inserted.push_back(row);
    const std::vector<Index> kept{1, 2, 4, 6, 7};
    cache.restrict_to(kept);
    Index found = 0;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const double* values = cache.find(static_cast<Index>(k));
      CHECK((values != nullptr) == (std::ranges::find(inserted, kept[k]) != inserted.end()));
      for (std::size_t c = 0; values && c < kept.size(); ++c) CHECK(values[c] == entry(kept[k], kept[c]));
      found += values != nullptr;
    }
    CHECK(cache.capacity() == capacity * 8 / 5);
    // The room that shorter rows leave is given out.
    for (Index k = 0; k < 5 && found < std::min<Index>(5, cache.capacity()); ++k)
      if (!cache.find(k)) CHECK(cache.insert(k) != nullptr), ++found;
  }
}

TEST(row_cache_restricted_keeps_the_order_of_use) {
  RowCache<double> cache(6, 6, 3 * 6 * value_bytes);
  for (const Index row : {4, 2, 5}) put(cache, row, 6);
  cache.find(4);
  cache.age();
  const std::vector<Index> all = count_up_to(6);
  cache.restrict_to(all);
  CHECK(put(cache, 0, 6));
  CHECK(cache.find(2) == nullptr);
  CHECK(cache.find(4) != nullptr && cache.find(5) != nullptr);
}

TEST(row_cache_restricted_again_and_again_keeps_the_right_values) {
  Random random(70);
  RowCache<double> cache(40, 40, 15 * 40 * value_bytes);
  std::vector<Index> names = count_up_to(40);  // what the rows were called at first
  while (names.size() > 3) {
    const auto n = static_cast<Index>(names.size());
    cache.age();
    for (Index row = 0; row < n; ++row) {
      if (random() < 0 || cache.find(row)) continue;
      if (double* values = cache.insert(row))
        for (Index k = 0; k < n; ++k) values[k] = entry(names[at(row)], names[at(k)]);
    }
    std::vector<Index> kept, kept_names;
    for (Index row = 0; row < n; ++row)
      if (random() < 0.6) kept.push_back(row), kept_names.push_back(names[at(row)]);
    cache.restrict_to(kept);
    names = kept_names;
    for (std::size_t row = 0; row < names.size(); ++row)
      if (const double* values = cache.find(static_cast<Index>(row)))
        for (std::size_t k = 0; k < names.size(); ++k) CHECK(values[k] == entry(names[row], names[k]));
  }
}

TEST(row_cache_restricted_to_nothing_is_empty) {
  RowCache<double> cache(3, 3, 1000);
  put(cache, 1, 3);
  cache.restrict_to({});
  CHECK(cache.capacity() == 0);
}
