// The SIMD maps from dot products and distances to kernel values: the exponential above all.
#include "check.hpp"
#include "mercer/simd.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

template <class T>
constexpr double eps = std::numeric_limits<T>::epsilon();

// Up to this distance, exp of minus it is a normal number that T holds.
template <class T>
constexpr double farthest = sizeof(T) == 4 ? 87 : 708;

template <class T>
std::vector<T> exp_of_minus(const Ops<T>& op, std::vector<T> distances) {
  op.map_exponential(distances.data(), static_cast<Index>(distances.size()), {});
  return distances;
}

// Through a power of two the exponent is rounded twice: its absolute error is relative in the value.
template <class T>
double rounding_at(double exponent) {
  return (2.5 + std::abs(exponent)) * eps<T>;
}

constexpr Index longest = 35;

template <class T>
std::vector<T> padded(std::vector<T> values) {
  values.resize((values.size() + at(lanes<T>) - 1) / at(lanes<T>) * at(lanes<T>), T(0));
  return values;
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
      std::vector<T> apart(5, T(0));
      const std::vector<T> norms = padded(std::vector<T>(5, distance));
      op.map_rbf(apart.data(), 5, T(0), norms.data(), {});
      for (const T value : apart) CHECK(value == 0);
    }
  });
}

TEST(simd_rbf_map_equals_the_formula) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(5);
    for (Index n = 1; n <= longest; ++n) {
      const std::vector<T> norms = padded([&] {
        std::vector<T> values = random.vector<T>(n);
        for (T& x : values) x = 3 + x;
        return values;
      }());
      const std::vector<T> dots = random.vector<T>(n);
      std::vector<T> v = dots;
      op.map_rbf(v.data(), n, T(2), norms.data(), {.gamma = T(0.5)});
      for (Index i = 0; i < n; ++i) {
        const double squared = 2 + static_cast<double>(norms[at(i)]) - 2 * static_cast<double>(dots[at(i)]);
        CHECK_NEAR(static_cast<double>(v[at(i)]), std::exp(-0.5 * squared), 8 * eps<T>);
      }
    }
  });
}

TEST(simd_rbf_map_clamps_negative_distances) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (Index n = 1; n <= longest; ++n) {
      const std::vector<T> norms = padded(std::vector<T>(at(n), T(1)));
      std::vector<T> v(at(n), T(1.001));
      op.map_rbf(v.data(), n, T(1), norms.data(), {.gamma = T(100)});
      for (const T value : v) CHECK(value == 1);
    }
  });
}

// In float32 no other than the distance of a row from itself matters, and that is zero.
TEST(simd_rbf_map_in_double_takes_distances_within_rounding_for_zero) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    const T rounding = T(1) / 64;
    for (Index n = 1; n <= longest; ++n) {
      const std::vector<T> norms = padded(std::vector<T>(at(n), T(1)));
      std::vector<T> within(at(n), T(1) - rounding / 2), beyond(at(n), T(1) - 2 * rounding);
      op.map_rbf(within.data(), n, T(1), norms.data(), {.rounding = rounding});
      op.map_rbf(beyond.data(), n, T(1), norms.data(), {.rounding = rounding});
      for (const T value : within) CHECK_NEAR(static_cast<double>(value), sizeof(T) == 4 ? std::exp(-1.0 / 64) : 1, 8 * eps<T>);
      for (const T value : beyond) CHECK_NEAR(static_cast<double>(value), std::exp(-4.0 / 64), 8 * eps<T>);
    }
  });
}

TEST(simd_exponential_map_equals_the_formula) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(6);
    for (Index n = 0; n <= longest; ++n) {
      std::vector<T> distances = random.vector<T>(n);
      for (T& x : distances) x = 2 + 2 * x;
      std::vector<T> v = distances;
      op.map_exponential(v.data(), n, {.gamma = T(0.75)});
      for (Index i = 0; i < n; ++i)
        CHECK_NEAR(static_cast<double>(v[at(i)]), std::exp(-0.75 * static_cast<double>(distances[at(i)])), 8 * eps<T>);
    }
  });
}

TEST(simd_polynomial_map_equals_the_formula) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(7);
    for (int degree = 0; degree <= 9; ++degree)
      for (Index n : {0, 1, 3, 8, 19}) {
        const std::vector<T> dots = random.vector<T>(n);
        std::vector<T> v = dots;
        op.map_polynomial(v.data(), n, {T(1.5), T(-0.25), degree});
        for (Index i = 0; i < n; ++i) {
          const double base = 1.5 * static_cast<double>(dots[at(i)]) - 0.25;
          const double largest = std::pow(1.75, degree);  // its error grows with the degree
          CHECK_NEAR(static_cast<double>(v[at(i)]), std::pow(base, degree), (degree + 1) * eps<T> * largest);
        }
      }
  });
}

TEST(simd_sigmoid_map_equals_the_formula) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(8);
    for (Index n = 0; n <= longest; ++n) {
      std::vector<T> dots = random.vector<T>(n);
      if (n > 2) dots[0] = T(1e4), dots[1] = T(-1e4);
      std::vector<T> v = dots;
      op.map_sigmoid(v.data(), n, {T(3), T(0.5)});
      for (Index i = 0; i < n; ++i)
        CHECK_NEAR(static_cast<double>(v[at(i)]), std::tanh(3 * static_cast<double>(dots[at(i)]) + 0.5), 8 * eps<T>);
      if (n > 2) CHECK(v[0] == 1 && v[1] == -1);
    }
  });
}

TEST(simd_sigmoid_map_is_exact_to_rounding_over_its_range) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    constexpr int samples = 20'001;
    constexpr double end = sizeof(T) == 4 ? 12 : 24;  // beyond where it is one
    std::vector<T> x(samples);
    for (int i = 0; i < samples; ++i) x[at(i)] = static_cast<T>(end * (2.0 * i / (samples - 1) - 1));
    std::vector<T> found = x;
    op.map_sigmoid(found.data(), samples, {});
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK_NEAR(static_cast<double>(found[i]), std::tanh(static_cast<double>(x[i])), 3 * eps<T>);
  });
}
