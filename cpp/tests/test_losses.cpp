// The loops over losses, against the losses by their definition.
#include <algorithm>

#include "check.hpp"
#include "mercer/losses.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr Index longest = 37;  // whole vectors, and some rows left over

enum class Kind { hinge, tube };

// Rows of one loss at random values, every fourth of them just at its bound, and as many at the other.
struct Losses {
  Index count;
  bool is_smooth;
  std::vector<double> slope, lower, upper, kink, weight, centre, coef, value, change, norm;

  Losses(Kind kind, bool smooth, Index rows, unsigned seed) : count(rows), is_smooth(smooth) {
    Random random(seed);
    for (Index i = 0; i < rows; ++i) {
      const double C = 1.5 + random(), bound = smooth ? inf : C, sign = random() < 0 ? -1 : 1;
      slope.push_back(kind == Kind::hinge ? sign : random());
      lower.push_back(kind == Kind::tube || sign < 0 ? -bound : 0);
      upper.push_back(kind == Kind::tube || sign > 0 ? bound : 0);
      kink.push_back(kind == Kind::tube ? 0.2 : 0.0);
      weight.push_back(smooth ? 2 * C : upper.back() - lower.back());
      centre.push_back(smooth ? 0 : random() * C);
      value.push_back(2 * random());
      change.push_back(random());
      norm.push_back(1 + random());
      centre.back() = std::clamp(centre.back(), lower.back(), upper.back());
      if (!smooth && i % 4 == 1) centre.back() = upper.back();
      if (!smooth && i % 4 == 2) centre.back() = lower.back();
      coef.push_back(0);
    }
  }

  LossRows rows() {
    return {slope.data(), lower.data(), upper.data(),  kink.data(), weight.data(), centre.data(),
            coef.data(),  value.data(), change.data(), norm.data(), count};
  }

  // What the dual variable c makes of the row: c (slope - f) - kink |c| - c^2 / (2 weight).
  double payoff(std::size_t i, double c, double f) const {
    return c * (slope[i] - f) - kink[i] * std::abs(c) - (is_smooth ? 0.5 * c * c / weight[i] : 0);
  }
  // The most that any dual variable makes of it: at a bound, at zero, or where the derivative vanishes.
  double loss(std::size_t i, double f) const {
    double most = 0;
    for (const double bound : {lower[i], upper[i]})
      if (std::isfinite(bound)) most = std::max(most, payoff(i, bound, f));
    for (const double sign : {-1.0, 1.0}) {
      const double c = weight[i] * (slope[i] - f - sign * kink[i]);
      if (is_smooth && c * sign > 0 && c >= lower[i] && c <= upper[i]) most = std::max(most, payoff(i, c, f));
    }
    return most;
  }
  // Whether c is the best dual variable of the envelope around the centre: no neighbour makes more of it.
  bool is_best(std::size_t i, double c, double f, double scale) const {
    const auto makes = [&](double x) {
      const double away = x - centre[i];
      return is_smooth ? payoff(i, x, f) : payoff(i, x, f) - 0.5 * away * away / (scale * weight[i]);
    };
    for (const double by : {-1e-4, 1e-4}) {
      const double other = c + by;
      if (other >= lower[i] && other <= upper[i] && makes(other) > makes(c) + 1e-12) return false;
    }
    return c >= lower[i] && c <= upper[i];
  }
};

template <class Body>
void for_all_losses(Body body) {
  const LevelGuard guard;
  for (const std::string_view level : simd_levels()) {
    set_simd_level(level);
    for (const Kind kind : {Kind::hinge, Kind::tube})
      for (const bool smooth : {false, true})
        for (Index rows = 0; rows <= longest; rows += rows < 9 ? 1 : 7) body(Losses(kind, smooth, rows, 5), smooth);
  }
}

}  // namespace

TEST(losses_begin_at_their_best_coefficients) {
  for_all_losses([](Losses losses, bool smooth) {
    const double scale = smooth ? 1 : 0.7;
    loss_ops().begin(losses.rows(), scale, false, 3);
    for (std::size_t i = 0; i < at(losses.count); ++i) CHECK(losses.is_best(i, losses.coef[i], losses.value[i], scale));
  });
}

TEST(losses_begin_around_centres_in_the_middle_or_at_a_bound) {
  for_all_losses([](Losses losses, bool smooth) {
    if (smooth) return;
    loss_ops().begin(losses.rows(), 0.7, true, 3);
    for (std::size_t i = 0; i < at(losses.count); ++i) {
      const double middle = 0.5 * (losses.lower[i] + losses.upper[i]), centre = losses.centre[i];
      const double reach = 0.5 * 3 / 0.7 + losses.kink[i];  // to where an envelope so wide is at its bound
      const double r = losses.slope[i] - losses.value[i];
      if (centre != middle) CHECK(centre == losses.lower[i] || centre == losses.upper[i] || centre == 0);
      if (std::abs(r) > reach + 1e-9) CHECK(centre == (r > 0 ? losses.upper[i] : losses.lower[i]));
      CHECK(losses.is_best(i, losses.coef[i], losses.value[i], 0.7));
    }
  });
}

TEST(losses_slope_is_the_derivative_of_the_envelopes) {
  for_all_losses([](Losses losses, bool smooth) {
    const double scale = smooth ? 1 : 0.7, t = 0.6, by = 1e-6;
    loss_ops().begin(losses.rows(), scale, false, 3);
    const auto sum_at = [&](double s) {  // of coef . change, by moved values
      Losses moved = losses;
      for (std::size_t i = 0; i < at(losses.count); ++i) moved.value[i] += s * losses.change[i];
      loss_ops().begin(moved.rows(), scale, false, 3);
      double sum = 0;
      for (std::size_t i = 0; i < at(losses.count); ++i) sum += (losses.coef[i] - moved.coef[i]) * losses.change[i];
      return sum;
    };
    const LossSlope slope = loss_ops().slope(losses.rows(), scale, t);
    CHECK_NEAR(slope.first, sum_at(t), 1e-10);
    CHECK_NEAR(slope.second, (sum_at(t + by) - sum_at(t - by)) / (2 * by), 1e-4 * (1 + slope.second));
  });
}

TEST(losses_settle_tells_gap_dual_and_events) {
  for_all_losses([](Losses losses, bool smooth) {
    for (const double t : {0.0, 0.4})
      for (const bool follows : {false, true}) {
        const LossMove move{smooth ? 1.0 : 0.7, smooth, t, 0.05, follows && t > 0};
        loss_ops().begin(losses.rows(), move.scale, false, 3);
        Losses moved = losses;
        std::vector<double> by(at(losses.count));
        std::vector<std::uint8_t> events(at(losses.count));
        LossStanding active, inactive;
        loss_ops().settle(moved.rows(), move, active, inactive, by.data(), events.data());
        LossStanding expected, resting;
        for (std::size_t i = 0; i < at(losses.count); ++i) {
          const double f = losses.value[i] + t * losses.change[i], c = moved.coef[i], before = losses.coef[i];
          CHECK_NEAR(moved.value[i], f, 1e-14);
          CHECK(moved.is_best(i, c, f, move.scale));
          const auto is_between = [&](double x) {
            return x > losses.lower[i] && x < losses.upper[i] && (x != 0 || losses.kink[i] == 0);
          };
          CHECK(bool(events[i] & began_to_move) == (is_between(c) && !is_between(before)));
          CHECK(bool(events[i] & ceased_to_move) == (!is_between(c) && is_between(before)));
          // The Gram matrix tells of a row that was between its bounds that it goes on at the same rate.
          const double told =
              move.follows && is_between(before) ? -move.scale * losses.weight[i] * t * losses.change[i] : 0;
          CHECK_NEAR(by[i], c - before - told, 1e-12);
          CHECK(bool(events[i] & sum_changed) == (by[i] != 0));
          LossStanding& own = events[i] & may_sleep ? resting : expected;
          own.dual += losses.payoff(i, c, 0);
          own.size += std::abs(c);
          if (!(events[i] & may_sleep)) {
            expected.gap += losses.loss(i, f) - losses.payoff(i, c, f);
            continue;
          }
          // It stays where it is, whichever way the value goes within the horizon, and up to the slack.
          const double reach = 0.999 * moved.change[i];
          CHECK(moved.change[i] > move.horizon * losses.norm[i]);
          for (const double way : {-1.0, 1.0}) {
            Losses far = moved;
            if (std::isfinite(reach)) far.value[i] += way * reach;
            loss_ops().begin(far.rows(), move.scale, false, 3);
            CHECK(far.coef[i] == c);
          }
        }
        CHECK_NEAR(active.gap, expected.gap, 1e-10);
        CHECK_NEAR(active.dual, expected.dual, 1e-10);
        CHECK_NEAR(active.size, expected.size, 1e-10);
        CHECK_NEAR(inactive.dual, resting.dual, 1e-10);
        CHECK_NEAR(inactive.size, resting.size, 1e-10);
      }
  });
}

TEST(losses_gains_vanish_only_at_the_optimum_of_the_loss_itself) {
  for_all_losses([](Losses losses, bool smooth) {
    if (losses.count != 1) return;
    for (double f = -2; f <= 2; f += 0.125) {
      losses.value[0] = f;
      const LossMove move{smooth ? 1.0 : 0.7, smooth, 0, inf, false};
      std::uint8_t event;
      double by;
      LossStanding active, inactive;
      loss_ops().settle(losses.rows(), move, active, inactive, &by, &event);
      const double c = losses.coef[0], gap = losses.loss(0, f) - losses.payoff(0, c, f);
      CHECK((std::max(active.gain_up, active.gain_down) > 1e-12) == (gap > 1e-12));
    }
  });
}
