// The SIMD maps from dot products and distances to kernel values: exp above all.
#include "check.hpp"
#include "mercer/simd.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

template <class T>
constexpr double eps = std::numeric_limits<T>::epsilon();

// Between these, exp is a normal number that T holds.
template <class T>
constexpr double lowest = sizeof(T) == 4 ? -87 : -708;
template <class T>
constexpr double highest = sizeof(T) == 4 ? 88 : 709;

// exp as the maps take it: of a distance of -x.
template <class T>
std::vector<T> exp_of(const Ops<T>& op, std::vector<T> x) {
  op.map_exponential(x.data(), static_cast<Index>(x.size()), T(-1));
  return x;
}

constexpr Index longest = 35;

template <class T>
std::vector<T> padded(std::vector<T> values) {
  values.resize((values.size() + at(lanes<T>) - 1) / at(lanes<T>) * at(lanes<T>), T(0));
  return values;
}

}  // namespace

TEST(simd_exp_is_exact_to_rounding_over_its_range) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    constexpr int samples = 20'001;
    std::vector<T> x(samples);
    for (int i = 0; i < samples; ++i) x[at(i)] = static_cast<T>(lowest<T> + (highest<T> - lowest<T>)*i / (samples - 1));
    const std::vector<T> found = exp_of(op, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK_NEAR(static_cast<double>(found[i]) / std::exp(static_cast<double>(x[i])), 1, 2.5 * eps<T>);
  });
}

TEST(simd_exp_of_small_arguments_is_exact_to_rounding) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    std::vector<T> x{T(0), T(-0.0)};
    for (double size = 1; size > 1e-30; size /= 3)
      x.push_back(static_cast<T>(size)), x.push_back(static_cast<T>(-size));
    const std::vector<T> found = exp_of(op, x);
    CHECK(found[0] == 1);
    CHECK(found[1] == 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK_NEAR(static_cast<double>(found[i]), std::exp(static_cast<double>(x[i])), 2.5 * eps<T> * 3);
  });
}

TEST(simd_exp_underflows_to_zero_and_never_to_infinity) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    constexpr T infinity = std::numeric_limits<T>::infinity(), largest = std::numeric_limits<T>::max();
    for (const T x : {T(lowest<T> - 0.5), T(-104), T(-746), T(-1e4), T(-1e30), -largest, -infinity}) {
      if (x >= lowest<T>) continue;
      for (const T value : exp_of(op, std::vector<T>(5, x))) CHECK(value == 0);
    }
    for (const T x : {T(highest<T>), T(1e4), T(1e30), largest, infinity})
      for (const T value : exp_of(op, std::vector<T>(5, x)))
        CHECK(std::isfinite(value) && value > std::exp(T(highest<T> - 1)));
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
      op.map_rbf(v.data(), n, T(2), norms.data(), T(0.5), T(0));
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
      op.map_rbf(v.data(), n, T(1), norms.data(), T(100), T(0));
      for (const T value : v) CHECK(value == 1);
    }
  });
}

TEST(simd_rbf_map_takes_distances_within_rounding_for_zero) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    const T rounding = T(1) / 64;
    for (Index n = 1; n <= longest; ++n) {
      const std::vector<T> norms = padded(std::vector<T>(at(n), T(1)));
      std::vector<T> within(at(n), T(1) - rounding / 2), beyond(at(n), T(1) - 2 * rounding);
      op.map_rbf(within.data(), n, T(1), norms.data(), T(1), rounding);
      op.map_rbf(beyond.data(), n, T(1), norms.data(), T(1), rounding);
      for (const T value : within) CHECK(value == 1);
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
      op.map_exponential(v.data(), n, T(0.75));
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
        op.map_polynomial(v.data(), n, T(1.5), T(-0.25), degree);
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
      op.map_sigmoid(v.data(), n, T(3), T(0.5));
      for (Index i = 0; i < n; ++i)
        CHECK_NEAR(static_cast<double>(v[at(i)]), std::tanh(3 * static_cast<double>(dots[at(i)]) + 0.5), 8 * eps<T>);
      if (n > 2) CHECK(v[0] == 1 && v[1] == -1);
    }
  });
}
