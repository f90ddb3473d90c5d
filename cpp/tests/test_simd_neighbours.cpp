// The SIMD loops of the search for neighbours.
#include "check.hpp"
#include "mercer/simd.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(simd_least_of_groups_is_that_of_each) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(30);
    for (const Index groups : {0, 1, 3}) {
      std::vector<T> values = random.vector<T>(groups * values_per_group);
      if (groups > 1) values[70] = std::numeric_limits<T>::infinity();
      std::vector<T> found(at(groups));
      op.least_of_groups(values.data(), groups, found.data());
      for (Index g = 0; g < groups; ++g)
        CHECK(found[at(g)] ==
              *std::min_element(values.begin() + g * values_per_group, values.begin() + (g + 1) * values_per_group));
    }
  });
}

TEST(simd_squared_distance_is_summed_in_double) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(31);
    for (const Index n : {0, 1, 3, 8, 17, 64, 65, 200}) {
      std::vector<T> a = random.vector<T>(n), b = random.vector<T>(n);
      for (Index i = 0; i < n; ++i) a[at(i)] += T(1000), b[at(i)] += T(1000);
      double expected = 0;
      for (Index i = 0; i < n; ++i) {
        const double apart = static_cast<double>(a[at(i)]) - static_cast<double>(b[at(i)]);
        expected += apart * apart;
      }
      const double infinity = std::numeric_limits<double>::infinity();
      CHECK_NEAR(op.squared_distance(a.data(), b.data(), n, infinity), expected, 1e-14 * expected);
      CHECK(op.squared_distance(a.data(), a.data(), n, infinity) == 0);
      const double limit = 0.5 * expected, stopped = op.squared_distance(a.data(), b.data(), n, limit);
      CHECK(n == 0 || (stopped > limit && stopped <= expected * (1 + 1e-14)));
    }
  });
}

TEST(simd_panel_distances_are_those_of_each_row) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(32);
    for (const Index d : {1, 2, 7})
      for (const Norm norm : {Norm::manhattan, Norm::euclidean, Norm::chebyshev}) {
        const Index panels = 3;
        const std::vector<T> rows = random.vector<T>(panels * lanes<T> * d), query = random.vector<T>(d);
        std::vector<T> found(at(panels * lanes<T>));
        op.panel_distances(rows.data(), panels, query.data(), d, norm, found.data());
        for (Index i = 0; i < panels * lanes<T>; ++i) {
          T expected = 0;
          for (Index k = 0; k < d; ++k) {
            const T value = rows[at(i / lanes<T> * lanes<T> * d + k * lanes<T> + i % lanes<T>)];
            const T apart = std::abs(value - query[at(k)]);
            if (norm == Norm::euclidean)
              expected += apart * apart;
            else
              expected = norm == Norm::manhattan ? expected + apart : std::max(expected, apart);
          }
          CHECK_NEAR(found[at(i)], expected, 8 * std::numeric_limits<T>::epsilon() * expected);
        }
      }
  });
}

TEST(simd_bits_tell_which_values_are_at_most_a_limit) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    const T infinity = std::numeric_limits<T>::infinity();
    for (const Index count : {0, 1, 7, 8, 31, 64}) {
      std::vector<T> values = Random(33).vector<T>(count);
      if (count > 4) values[2] = T(0.25), values[3] = infinity, values[4] = std::numeric_limits<T>::quiet_NaN();
      for (const T limit : {T(0.25), T(-10), infinity}) {
        std::uint64_t expected = 0;
        for (Index i = 0; i < count; ++i) expected |= static_cast<std::uint64_t>(values[at(i)] <= limit) << i;
        CHECK(op.at_most(values.data(), count, limit) == expected);
      }
    }
  });
}

TEST(simd_distance_from_a_box_is_that_of_its_nearest_point) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(34);
    for (const Norm norm : {Norm::manhattan, Norm::euclidean, Norm::chebyshev}) {
      const Index d = 2 * lanes<T>;
      std::vector<T> low = random.vector<T>(d), high = random.vector<T>(d), query = random.vector<T>(d);
      for (Index k = 0; k < d; ++k)
        if (low[at(k)] > high[at(k)]) std::swap(low[at(k)], high[at(k)]);
      low.back() = -std::numeric_limits<T>::infinity(), high.back() = -low.back();
      T expected = 0;
      for (Index k = 0; k < d; ++k) {
        const T apart = std::abs(query[at(k)] - std::clamp(query[at(k)], low[at(k)], high[at(k)]));
        if (norm == Norm::euclidean)
          expected += apart * apart;
        else
          expected = norm == Norm::manhattan ? expected + apart : std::max(expected, apart);
      }
      CHECK_NEAR(op.box_distance(low.data(), high.data(), query.data(), d, norm), expected,
                 8 * std::numeric_limits<T>::epsilon() * expected);
    }
  });
}
