// The two SIMD loops of a two-variable step: the update with its argmax, and the choice of the partner.
#include "check.hpp"
#include "mercer/simd.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index longest = 19;
constexpr double least_curvature = 1e-12;

struct Choice {
  Index index = -1;
  double gain = 0;
  double lowest = infinity;
};

template <class T>
Choice naive_partner(const std::vector<T>& values, const std::vector<T>& ki, const std::vector<T>& diagonal, double kii,
                     double top, const std::vector<T>& low_penalty) {
  Choice best;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (low_penalty[j] != 0) continue;
    const auto value = static_cast<double>(values[j]);
    best.lowest = std::min(best.lowest, value);
    const double b = top - value;
    const double sum = kii + static_cast<double>(diagonal[j]);
    const double gain = b * b / std::max(sum - 2 * static_cast<double>(ki[j]), least_curvature * sum);
    if (b > 0 && gain > best.gain) best.index = static_cast<Index>(j), best.gain = gain;
  }
  return best;
}

// Every k-th entry is barred.
template <class T>
std::vector<T> barred(Index n, Index every, double penalty) {
  std::vector<T> penalties(at(n), T(0));
  for (Index i = 0; i < n; i += every) penalties[at(i)] = static_cast<T>(penalty);
  return penalties;
}

}  // namespace

TEST(simd_update_moves_values_and_finds_the_largest_that_may_grow) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(9);
    for (Index n = 0; n <= longest; ++n)
      for (const double t : {0.0, 0.375}) {
        const std::vector<T> ki = random.vector<T>(n), kj = random.vector<T>(n);
        const std::vector<T> before = random.vector<T>(n), penalty = barred<T>(n, 2, -infinity);
        std::vector<T> values = before;
        const Index found = op.update_and_argmax(values.data(), ki.data(), kj.data(), T(t), penalty.data(), n);
        Index best = -1;
        for (Index i = 0; i < n; ++i) {
          const double moved = static_cast<double>(before[at(i)]) -
                               t * (static_cast<double>(ki[at(i)]) - static_cast<double>(kj[at(i)]));
          CHECK_NEAR(static_cast<double>(values[at(i)]), moved, 2 * std::numeric_limits<T>::epsilon());
          if (penalty[at(i)] == 0 && (best < 0 || values[at(i)] > values[at(best)])) best = i;
        }
        CHECK(found == best);
      }
  });
}

TEST(simd_argmax_gives_the_highest_index_of_a_tie) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (Index n = 2; n <= longest; ++n) {
      const std::vector<T> k(at(n), T(1));
      const std::vector<T> free(at(n), T(0.0));
      for (Index first = 0; first < n; ++first)
        for (Index second = first; second < n; ++second) {
          std::vector<T> values(at(n), T(-1.0));
          values[at(first)] = values[at(second)] = T(2);
          CHECK(op.update_and_argmax(values.data(), k.data(), k.data(), T(1), free.data(), n) == second);
        }
    }
  });
}

TEST(simd_argmax_is_minus_one_where_nothing_may_grow) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (Index n = 0; n <= longest; ++n) {
      const std::vector<T> k(at(n), T(1));
      std::vector<T> values(at(n), T(1.0));
      const std::vector<T> penalty = barred<T>(n, 1, -infinity);
      CHECK(op.update_and_argmax(values.data(), k.data(), k.data(), T(1), penalty.data(), n) == -1);
    }
  });
}

TEST(simd_best_partner_has_the_largest_second_order_gain) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    Random random(10);
    for (Index n = 0; n <= longest; ++n)
      for (const double top : {-0.5, 0.25, 2.0})
        for (const Index every : {2, 3, 100}) {
          const std::vector<T> ki = random.vector<T>(n);
          const std::vector<T> values = random.vector<T>(n), penalty = barred<T>(n, every, infinity);
          std::vector<T> diagonal = random.vector<T>(n);
          for (T& x : diagonal) x += T(2.5);
          const Choice best = naive_partner(values, ki, diagonal, 1.5, top, penalty);
          const Partner<T> found = op.best_partner(values.data(), ki.data(), diagonal.data(), T(1.5), T(top),
                                                   penalty.data(), T(least_curvature), n);
          CHECK(found.index == best.index);
          CHECK(static_cast<double>(found.lowest) == best.lowest);
        }
  });
}

TEST(simd_best_partner_gives_the_highest_index_of_a_tie) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (Index n = 2; n <= longest; ++n) {
      const std::vector<T> ki(at(n), T(0.5));
      const std::vector<T> diagonal(at(n), T(1.0)), free(at(n), T(0.0));
      for (Index first = 0; first < n; ++first)
        for (Index second = first; second < n; ++second) {
          std::vector<T> values(at(n), T(0.5));
          values[at(first)] = values[at(second)] = T(-2);
          const Partner<T> found = op.best_partner(values.data(), ki.data(), diagonal.data(), T(1), T(1), free.data(),
                                                   T(least_curvature), n);
          CHECK(found.index == second);
        }
    }
  });
}

TEST(simd_best_partner_prefers_flat_directions_by_the_floor_of_the_curvature) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (Index n = 2; n <= longest; ++n)
      for (Index flat = 0; flat < n; ++flat) {
        std::vector<T> ki(at(n), T(0));
        ki[at(flat)] = T(1);  // k_ii + k_jj - 2 k_ij = 0
        std::vector<T> values(at(n), T(-1.0));
        values[at(flat)] = T(0);  // violates less, gains more
        const std::vector<T> diagonal(at(n), T(1.0)), free(at(n), T(0.0));
        const Partner<T> found =
            op.best_partner(values.data(), ki.data(), diagonal.data(), T(1), T(1), free.data(), T(least_curvature), n);
        CHECK(found.index == flat);
        CHECK(found.lowest == (n > 1 ? T(-1) : T(0)));
      }
  });
}

TEST(simd_best_partner_is_minus_one_where_none_gains) {
  at_every_level([](auto type, const auto& op) {
    using T = decltype(type);
    for (Index n = 0; n <= longest; ++n) {
      const std::vector<T> ki(at(n), T(0));
      const std::vector<T> values(at(n), T(1.0)), diagonal(at(n), T(1.0)), free(at(n), T(0.0));
      const std::vector<T> all_barred = barred<T>(n, 1, infinity);
      const auto partner = [&](double top, const std::vector<T>& penalty) {
        return op.best_partner(values.data(), ki.data(), diagonal.data(), T(1), T(top), penalty.data(),
                               T(least_curvature), n);
      };
      CHECK(partner(1.0, free).index == -1);
      CHECK(partner(9.0, all_barred).index == -1);
      CHECK(partner(9.0, all_barred).lowest == std::numeric_limits<T>::infinity());
    }
  });
}
