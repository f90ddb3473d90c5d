// The SIMD maps from dot products and distances to kernel values: the exponential above all.
#include "check.hpp"
#include "leaf_loops.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

template <class T>
constexpr double eps = std::numeric_limits<T>::epsilon();

// Up to this distance, exp of minus it is a normal number that T holds.
template <class T>
constexpr double farthest = sizeof(T) == 4 ? 87 : 708;

// The map of a leaf alone: a row without entries adds nothing to the offsets of the queries. `norms` is the sum of both
// squared norms.
template <class T>
std::vector<T> mapped(const Ops<T>& op, const Loop& loop, std::vector<T> sums, const std::vector<T>& norms = {},
                      T rounding = 0) {
  const std::vector<Index> begin{0, 0};
  const T zero = 0;
  for (std::size_t first = 0; first < sums.size(); first += at(table_lanes<T>)) {
    const std::size_t count = std::min(at(table_lanes<T>), sums.size() - first);
    std::vector<T> offset(at(table_lanes<T>)), of_queries(at(table_lanes<T>)), out(at(table_lanes<T>));
    std::copy_n(sums.begin() + static_cast<Index>(first), count, offset.begin());
    if (!norms.empty()) std::copy_n(norms.begin() + static_cast<Index>(first), count, of_queries.begin());
    const SparseBlock<T> block{nullptr, nullptr, offset.data(), of_queries.data(), begin.data(), nullptr, nullptr,
                               &zero,   1};
    loops_of(op, loop).sparse_values(block, numbers_of(loop, rounding), out.data());
    std::copy_n(out.begin(), count, sums.begin() + static_cast<Index>(first));
  }
  return sums;
}

template <class T>
std::vector<T> exp_of_minus(const Ops<T>& op, std::vector<T> distances) {
  return mapped(op, loop_of("laplacian"), std::move(distances));
}

// Through a power of two the exponent is rounded twice: its absolute error is relative in the value.
template <class T>
double rounding_at(double exponent) {
  return (2.5 + std::abs(exponent)) * eps<T>;
}

}  // namespace

TEST(simd_exponential_is_right_to_the_rounding_of_its_exponent) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    constexpr int samples = 20'001;
    std::vector<T> distances(samples);
    for (int i = 0; i < samples; ++i) distances[at(i)] = static_cast<T>(farthest<T> * i / (samples - 1));
    const std::vector<T> found = exp_of_minus(op, distances);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const double distance = static_cast<double>(distances[i]);
      CHECK_NEAR(static_cast<double>(found[i]) / std::exp(-distance), 1, rounding_at<T>(distance));
    }
  });
}

// Rounding can leave a distance slightly below zero.
TEST(simd_exponential_of_small_distances_is_right) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    std::vector<T> distances{T(0), T(-0.0)};
    for (double size = 1; size > 1e-30; size /= 3) {
      distances.push_back(static_cast<T>(size));
      if (size < 1e-3) distances.push_back(static_cast<T>(-size));
    }
    const std::vector<T> found = exp_of_minus(op, distances);
    CHECK(found[0] == 1);
    CHECK(found[1] == 1);
    for (std::size_t i = 0; i < distances.size(); ++i)
      CHECK_NEAR(static_cast<double>(found[i]), std::exp(-static_cast<double>(distances[i])), rounding_at<T>(1));
  });
}

TEST(simd_exponential_of_large_distances_is_zero) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    constexpr T infinity = std::numeric_limits<T>::infinity(), largest = std::numeric_limits<T>::max();
    for (const T distance : {T(farthest<T> + 0.5), T(104), T(746), T(1e4), T(1e30), largest, infinity}) {
      if (distance <= farthest<T>) continue;
      for (const T value : exp_of_minus(op, std::vector<T>(5, distance))) CHECK(value == 0);
      if (distance == infinity) continue;  // norms are finite
      for (const T value : mapped(op, loop_of("rbf"), std::vector<T>(5, T(0)), std::vector<T>(5, distance)))
        CHECK(value == 0);
    }
  });
}

TEST(simd_rbf_map_equals_the_formula) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(5);
    constexpr Index n = 1000;
    std::vector<T> norms = random.vector<T>(n), dots = random.vector<T>(n);
    for (T& x : norms) x = 5 + x;
    const std::vector<T> found = mapped(op, loop_of("rbf", {{"gamma", 0.5}}), dots, norms);
    for (Index i = 0; i < n; ++i) {
      const double squared = static_cast<double>(norms[at(i)]) - 2 * static_cast<double>(dots[at(i)]);
      CHECK_NEAR(static_cast<double>(found[at(i)]), std::exp(-0.5 * squared), 8 * eps<T>);
    }
  });
}

TEST(simd_rbf_map_clamps_negative_distances) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (const double excess : {1e-6, 1e-3, 1.0}) {
      const std::vector<T> dots(9, static_cast<T>(1 + excess)), norms(9, T(2));
      for (const T value : mapped(op, loop_of("rbf", {{"gamma", 100}}), dots, norms)) CHECK(value == 1);
    }
  });
}

// In float32 no other than the distance of a row from itself matters, and that is zero.
TEST(simd_rbf_map_in_double_takes_distances_within_rounding_for_zero) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    const T rounding = T(1) / 64;
    const std::vector<T> norms(9, T(2)), within(9, T(1) - rounding / 2), beyond(9, T(1) - 2 * rounding);
    for (const T value : mapped(op, loop_of("rbf"), within, norms, rounding))
      CHECK_NEAR(static_cast<double>(value), sizeof(T) == 4 ? std::exp(-1.0 / 64) : 1, 8 * eps<T>);
    for (const T value : mapped(op, loop_of("rbf"), beyond, norms, rounding))
      CHECK_NEAR(static_cast<double>(value), std::exp(-4.0 / 64), 8 * eps<T>);
  });
}

TEST(simd_exponential_map_equals_the_formula) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    std::vector<T> distances = Random(6).vector<T>(1000);
    for (T& x : distances) x = 2 + 2 * x;
    const std::vector<T> found = mapped(op, loop_of("laplacian", {{"gamma", 0.75}}), distances);
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK_NEAR(static_cast<double>(found[i]), std::exp(-0.75 * static_cast<double>(distances[i])), 8 * eps<T>);
  });
}

TEST(simd_polynomial_map_equals_the_formula) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(7);
    for (int degree = 0; degree <= 9; ++degree) {
      const std::vector<T> dots = random.vector<T>(100);
      const Loop loop = loop_of("polynomial", {{"gamma", 1.5}, {"coef0", -0.25}, {"degree", degree}});
      const std::vector<T> found = mapped(op, loop, dots);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double base = 1.5 * static_cast<double>(dots[i]) - 0.25;
        const double largest = std::pow(1.75, degree);  // its error grows with the degree
        CHECK_NEAR(static_cast<double>(found[i]), std::pow(base, degree), (degree + 1) * eps<T> * largest);
      }
    }
  });
}

TEST(simd_sigmoid_map_equals_the_formula) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    std::vector<T> dots = Random(8).vector<T>(1000);
    dots[0] = T(1e4), dots[1] = T(-1e4);
    const std::vector<T> found = mapped(op, loop_of("sigmoid", {{"gamma", 3}, {"coef0", 0.5}}), dots);
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK_NEAR(static_cast<double>(found[i]), std::tanh(3 * static_cast<double>(dots[i]) + 0.5), 8 * eps<T>);
    CHECK(found[0] == 1 && found[1] == -1);
  });
}

TEST(simd_sigmoid_map_is_exact_to_rounding_over_its_range) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    constexpr int samples = 20'001;
    constexpr double end = sizeof(T) == 4 ? 12 : 24;  // beyond where it is one
    std::vector<T> x(samples);
    for (int i = 0; i < samples; ++i) x[at(i)] = static_cast<T>(end * (2.0 * i / (samples - 1) - 1));
    const std::vector<T> found = mapped(op, loop_of("sigmoid"), x);
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK_NEAR(static_cast<double>(found[i]), std::tanh(static_cast<double>(x[i])), 3 * eps<T>);
  });
}

// Of squared distances from nothing to beyond what float holds, without a row's norms: sums are offsets here.
TEST(simd_maps_of_the_distance_equal_the_formulas_of_double) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    const std::vector<Loop> loops{loop_of("matern12", {{"gamma", 0.5}}),
                                  loop_of("matern32", {{"gamma", 0.5}}),
                                  loop_of("matern52", {{"gamma", 0.5}}),
                                  loop_of("rational_quadratic", {{"gamma", 0.5}, {"alpha", 0.75}}),
                                  loop_of("rational_quadratic", {{"gamma", 2}, {"alpha", 8}}),
                                  loop_of("periodic", {{"gamma", 0.25}, {"rate", 1.5}}),
                                  loop_of("white")};
    std::vector<T> norms{T(0)};
    for (double size = 1e-12; size < 1e4; size *= 1.01) norms.push_back(static_cast<T>(size));
    for (const Loop& loop : loops) {
      const std::vector<T> found = mapped(op, loop, std::vector<T>(norms.size(), T(0)), norms);
      for (std::size_t i = 0; i < norms.size(); ++i) {
        const double squared = static_cast<double>(norms[i]), expected = loop.leaf.value(squared);
        // Rounding of the exponent, or of the angle, is relative to it.
        const double argument = std::sqrt(10 * squared);
        CHECK_NEAR(static_cast<double>(found[i]), expected, (8 + 4 * argument) * eps<T> * (1e-3 + expected));
      }
    }
  });
}

TEST(simd_maps_of_the_distance_have_values_at_the_ends_of_numbers) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    constexpr T largest = std::numeric_limits<T>::max();
    for (const char* name : {"matern12", "matern32", "matern52", "rational_quadratic", "periodic", "white"})
      for (const T gamma : {T(1), T(1e20)}) {
        const Loop loop = loop_of(name, {{"gamma", static_cast<double>(gamma)}});
        for (const T value : mapped(op, loop, std::vector<T>(5, T(0)), std::vector<T>(5, largest)))
          CHECK(value >= 0 && value <= 1);
        for (const T value : mapped(op, loop, std::vector<T>(5, T(0)), std::vector<T>(5, T(0)))) CHECK(value == 1);
      }
  });
}
