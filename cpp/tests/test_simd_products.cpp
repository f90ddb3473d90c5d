// The SIMD loops over plain arrays, and the choice of the level.
#include "check.hpp"
#include "mercer/simd.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(simd_level_is_chosen_by_name) {
  const LevelGuard guard;
  CHECK(simd_levels().back() == "base");
  for (const std::string_view level : simd_levels()) {
    CHECK(set_simd_level(level));
    CHECK(simd_level() == level);
  }
  CHECK(!set_simd_level("abacus"));
  CHECK(simd_level() == "base");
}

TEST(simd_weighted_sum_is_in_double) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(3);
    for (Index n = 0; n <= 35; ++n) {
      const std::vector<T> v = random.vector<T>(n), coef = random.vector<T>(n);
      double expected = 0;
      for (Index i = 0; i < n; ++i) expected += static_cast<double>(v[at(i)]) * static_cast<double>(coef[at(i)]);
      CHECK_NEAR(op.weighted_sum(v.data(), coef.data(), n), expected, 4e-15);
    }
  });
}

TEST(simd_transpose_turns_rows_into_columns) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (const Index rows : {0, 1, 2, 3, 4, 7, 8, 9, 16, 33})
      for (const Index cols : {0, 1, 2, 3, 4, 7, 8, 9, 16, 33}) {
        const Index ld_in = cols + 3, ld_out = rows + 2;
        const std::vector<T> in = Random(9).vector<T>(rows * ld_in);
        std::vector<T> out(at(cols * ld_out), T(-99));
        op.transpose(in.data(), ld_in, rows, cols, out.data(), ld_out);
        for (Index c = 0; c < cols; ++c)
          for (Index r = 0; r < ld_out; ++r)
            CHECK(out[at(c * ld_out + r)] == (r < rows ? in[at(r * ld_in + c)] : T(-99)));
      }
  });
}

TEST(simd_add_scaled_adds_in_double) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(4);
    for (Index n = 0; n <= 35; ++n) {
      const std::vector<T> v = random.vector<T>(n);
      const std::vector<double> before = random.vector(n);
      std::vector<double> out = before;
      op.add_scaled(out.data(), v.data(), -0.75, n);
      for (Index i = 0; i < n; ++i) CHECK_NEAR(out[at(i)], before[at(i)] - 0.75 * static_cast<double>(v[at(i)]), 4e-16);
    }
  });
}

TEST(simd_rows_of_weights_are_summed_and_added_to) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(6);
    const std::vector<std::int32_t> columns{4, 0, 7, 2, 9, 1, 3, 8, 5, 11, 10};
    for (Index k = 0; k <= 72; k += lanes<double>)
      for (const bool is_sparse : {false, true}) {
        const Index count = static_cast<Index>(columns.size());
        const std::vector<T> x = random.vector<T>(count);
        const std::vector<double> before = random.vector(k), W = random.vector(12 * k);
        std::vector<double> out = before, changed = W, c(at(k), 0.0);
        for (Index m = 0; m < k; m += 5) c[at(m)] = random();
        const std::int32_t* at_columns = is_sparse ? columns.data() : nullptr;
        op.add_rows(x.data(), at_columns, count, W.data(), k, out.data());
        op.add_outer(x.data(), at_columns, count, c.data(), k, changed.data());
        std::vector<double> expected_out = before, expected = W;
        for (Index e = 0; e < count; ++e)
          for (Index m = 0; m < k; ++m) {
            const Index j = is_sparse ? columns[at(e)] : e;
            expected_out[at(m)] += static_cast<double>(x[at(e)]) * W[at(j * k + m)];
            expected[at(j * k + m)] += static_cast<double>(x[at(e)]) * c[at(m)];
          }
        for (Index m = 0; m < k; ++m) CHECK_NEAR(out[at(m)], expected_out[at(m)], 4e-15);
        for (std::size_t e = 0; e < W.size(); ++e) CHECK_NEAR(changed[e], expected[e], 4e-16);
      }
  });
}
