// Nearest rows among rows with missing values are those of plain loops.
#include "check.hpp"
#include "mercer/masked_neighbours.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Table with_holes(Index rows, Index cols, unsigned seed, double share) {
  Random random(seed);
  Table table{rows, cols, random.vector(rows * cols)};
  for (double& x : table.values)
    if (0.5 * (random() + 1) < share) x = nan;
  return table;
}

Dense<double> view(const Table& table) { return {table.values.data(), table.rows, table.cols}; }

double squared(std::span<const double> a, std::span<const double> b) {
  double sum = 0, shared = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!std::isnan(a[k]) && !std::isnan(b[k])) sum += (a[k] - b[k]) * (a[k] - b[k]), ++shared;
  return shared == 0 ? nan : sum * (static_cast<double>(a.size()) / shared);
}

// Distances of rows for which `counts(row)`, least first.
template <class Counts>
std::vector<double> sorted(const Table& X, std::span<const double> query, Counts counts) {
  std::vector<double> all;
  for (Index i = 0; i < X.rows; ++i)
    if (const double one = squared(query, X.row(i)); counts(i) && !std::isnan(one)) all.push_back(one);
  std::ranges::sort(all);
  return all;
}

void check_near(double found, const std::vector<double>& expected, Index place) {
  if (place < static_cast<Index>(expected.size()))
    CHECK_NEAR(found, expected[at(place)], 1e-13 * (1 + expected[at(place)]));
  else
    CHECK(!std::isfinite(found));
}

}  // namespace

TEST(masked_nearest_rows_are_those_of_a_sort) {
  for (const Index d : {1, 3, 8, 90})
    for (const double share : {0.0, 0.2, 0.7}) {
      const Table X = with_holes(MaskedIndex::block_rows + 90, d, 800, share), Q = with_holes(30, d, 801, share);
      const MaskedIndex index(view(X));
      for (const int threads : {1, 3}) {
        const Nearest found = nearest({index, view(Q), {}, {}}, 4, {threads, nullptr});
        for (Index q = 0; q < Q.rows; ++q) {
          const auto expected = sorted(X, Q.row(q), [](Index) { return true; });
          for (Index j = 0; j < 4; ++j) {
            const auto place = at(q * 4 + j);
            check_near(found.squared[place], expected, j);
            const double own = squared(Q.row(q), X.row(found.rows[place]));
            CHECK(std::isnan(own) == std::isnan(found.squared[place]));
            if (!std::isnan(own)) CHECK_NEAR(own, found.squared[place], 1e-13 * (1 + own));
          }
        }
      }
    }
}

TEST(masked_neighbours_leave_out_excluded_and_forgotten_rows) {
  const Table X = with_holes(200, 5, 802, 0.2);
  const MaskedIndex index(view(X));
  std::vector<std::int64_t> excluded;
  std::vector<std::uint8_t> forgotten;
  for (Index i = 0; i < X.rows; ++i) excluded.push_back(i), forgotten.push_back(i % 3 == 0);
  const Nearest found = nearest({index, view(X), excluded, forgotten}, 3, {1, nullptr});
  for (Index q = 0; q < X.rows; ++q) {
    const auto expected = sorted(X, X.row(q), [&](Index i) { return i != q && i % 3 != 0; });
    for (Index j = 0; j < 3; ++j) check_near(found.squared[at(q * 3 + j)], expected, j);
  }
}

TEST(masked_rows_within_a_radius_are_those_of_a_scan) {
  const Table X = with_holes(500, 4, 803, 0.3), Q = with_holes(20, 4, 804, 0.3);
  const MaskedIndex index(view(X));
  for (const double radius : {0.0, 0.5, infinity}) {
    const Within found = within({index, view(Q), {}, {}}, radius, {2, nullptr});
    for (Index q = 0; q < Q.rows; ++q) {
      std::vector<std::int64_t> expected;
      for (Index i = 0; i < X.rows; ++i)
        if (squared(Q.row(q), X.row(i)) <= radius * radius) expected.push_back(i);
      CHECK(expected == std::vector<std::int64_t>(found.rows.begin() + found.begins[at(q)],
                                                  found.rows.begin() + found.begins[at(q + 1)]));
    }
  }
}

TEST(masked_donors_have_the_wanted_feature) {
  const Table X = with_holes(400, 3, 805, 0.4), Q = with_holes(30, 3, 806, 0.4);
  const MaskedIndex index(view(X));
  std::vector<std::int64_t> begins{0}, features;
  for (Index q = 0; q < Q.rows; ++q) {
    for (Index k = 0; k < 3; ++k)
      if (std::isnan(Q.row(q)[at(k)])) features.push_back(k);
    begins.push_back(static_cast<Index>(features.size()));
  }
  const Nearest found = donors({index, view(Q), {}, {}}, {begins, features}, 4, {2, nullptr});
  for (Index q = 0; q < Q.rows; ++q)
    for (Index f = begins[at(q)]; f < begins[at(q + 1)]; ++f) {
      const auto feature = at(features[at(f)]);
      const auto expected = sorted(X, Q.row(q), [&](Index i) { return !std::isnan(X.row(i)[feature]); });
      for (Index j = 0; j < 4; ++j) check_near(found.squared[at(f * 4 + j)], expected, j);
    }
}

TEST(simd_shared_distance_is_over_what_both_have) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(807);
    for (const Index n : {0, 1, 3, 4, 9, 40}) {
      std::vector<T> a = random.vector<T>(n), b = random.vector<T>(n);
      for (Index i = 0; i < n; i += 3) a[at(i)] = std::numeric_limits<T>::quiet_NaN();
      for (Index i = 1; i < n; i += 4) b[at(i)] = std::numeric_limits<T>::quiet_NaN();
      double expected = 0;
      Index both = 0;
      for (Index i = 0; i < n; ++i) {
        const double apart = static_cast<double>(a[at(i)]) - static_cast<double>(b[at(i)]);
        if (!std::isnan(apart)) expected += apart * apart, ++both;
      }
      const SharedDistance found = op.shared_distance(a.data(), b.data(), n);
      CHECK(found.features == both);
      CHECK_NEAR(found.squared, expected, 1e-14 * (1 + expected));
    }
  });
}
