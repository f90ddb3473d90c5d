// The SIMD loops that sum products or distances, and the choice of the level.
#include "check.hpp"
#include "mercer/simd.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

template <class T>
constexpr double eps = std::numeric_limits<T>::epsilon();

// Row b of `panels` panels of d features.
template <class T>
T panel_value(const std::vector<T>& B, Index d, Index b, Index k) {
  return B[at(b / lanes<T> * lanes<T> * d + k * lanes<T> + b % lanes<T>)];
}

// Shapes around the register blocks (2 and 6 rows) of both levels.
template <class Loop, class Term>
void check_panels(Loop loop_of, Term term) {
  at_every_level([&](auto type, const auto& op) {
    using T = decltype(type);
    Random random(1);
    for (Index na : {1, 2, 3, 5, 6, 7, 12, 13})
      for (Index d : {0, 1, 2, 17})
        for (Index panels : {1, 2, 3}) {
          const Index width = panels * lanes<T>, ld = width + 3;
          const std::vector<T> A = random.vector<T>(na * d), B = random.vector<T>(width * d);
          std::vector<T> out(at(na * ld), T(-99));
          loop_of(op)(A.data(), na, d, B.data(), panels, out.data(), ld);
          for (Index a = 0; a < na; ++a)
            for (Index b = 0; b < ld; ++b) {
              double expected = b < width ? 0 : -99;
              for (Index k = 0; k < d && b < width; ++k)
                expected += term(static_cast<double>(A[at(a * d + k)]), static_cast<double>(panel_value(B, d, b, k)));
              CHECK_NEAR(static_cast<double>(out[at(a * ld + b)]), expected, eps<T> * static_cast<double>(6 * d));
            }
        }
  });
}

// A table of queries by column: column k has the slot k % 4, and slot 0 is the row of zeros.
template <class Loop, class Term>
void check_sparse(Loop loop_of, Term term) {
  at_every_level([&](auto type, const auto& op) {
    using T = decltype(type);
    Random random(2);
    std::vector<T> table = random.vector<T>(4 * lanes<T>);
    std::fill_n(table.begin(), lanes<T>, T(0));
    std::vector<std::int32_t> slots(20);
    for (std::size_t k = 0; k < slots.size(); ++k) slots[k] = static_cast<std::int32_t>(k % 4);
    for (Index nnz : {0, 1, 2, 7, 20}) {
      std::vector<std::int32_t> columns(at(nnz));
      for (Index e = 0; e < nnz; ++e) columns[at(e)] = static_cast<std::int32_t>((7 * e + 3) % 20);
      const std::vector<T> values = random.vector<T>(nnz);
      std::vector<T> acc(at(lanes<T>), T(-99));
      loop_of(op)(table.data(), slots.data(), columns.data(), values.data(), nnz, acc.data());
      for (Index lane = 0; lane < lanes<T>; ++lane) {
        double expected = 0;
        for (Index e = 0; e < nnz; ++e)
          expected += term(static_cast<double>(table[at(slots[at(columns[at(e)])] * lanes<T> + lane)]),
                           static_cast<double>(values[at(e)]));
        CHECK_NEAR(static_cast<double>(acc[at(lane)]), expected, eps<T> * static_cast<double>(3 * nnz));
      }
    }
  });
}

}  // namespace

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

TEST(simd_dots_equal_plain_loops) {
  check_panels([](const auto& op) { return op.dots; }, [](double a, double b) { return a * b; });
}

TEST(simd_manhattan_equals_plain_loops) {
  check_panels([](const auto& op) { return op.manhattan; }, [](double a, double b) { return std::abs(a - b); });
}

TEST(simd_differences_equal_plain_loops) {
  check_panels([](const auto& op) { return op.differences; }, [](double a, double b) { return (a - b) * (a - b); });
}

TEST(simd_sparse_dots_equal_plain_loops) {
  check_sparse([](const auto& op) { return op.sparse_dots; }, [](double q, double x) { return q * x; });
}

TEST(simd_sparse_manhattan_equals_plain_loops) {
  check_sparse([](const auto& op) { return op.sparse_manhattan; },
               [](double q, double x) { return std::abs(q - x) - std::abs(q); });
}

TEST(simd_weighted_sum_is_in_double) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(3);
    for (Index n = 0; n <= 35; ++n) {
      const std::vector<T> v = random.vector<T>(n);
      const std::vector<double> coef = random.vector(n);
      double expected = 0;
      for (Index i = 0; i < n; ++i) expected += static_cast<double>(v[at(i)]) * coef[at(i)];
      CHECK_NEAR(op.weighted_sum(v.data(), coef.data(), n), expected, 4e-15);
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
