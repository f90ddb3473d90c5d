// A row of a linear problem with its loss, as the method of multipliers sees it, and sums over rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

// A row, its loss, and where it is.
struct LossRow {
  double slope, lower, upper, kink;
  double weight;  // of the row in Newton's matrix, but for the scale
  double ridge;   // the price of coef^2 / 2; zero where the loss is not smooth
  double centre = 0, coef = 0, value = 0, change = 0;
  double norm = 0;
  bool between = false;  // its bounds, so that it moves with the value

  // The dual variable at another value.
  double coef_at(double f, double h, bool* moves) const {
    const double c = centre + h * (slope - f), threshold = h * kink;
    const double soft = c > threshold ? c - threshold : c < -threshold ? c + threshold : 0.0;
    *moves = soft > lower && soft < upper && (soft != 0 || kink == 0);
    return std::clamp(soft, lower, upper);
  }
  // What the row adds to the dual objective, and what it adds to the duality gap.
  double dual() const { return slope * coef - kink * std::abs(coef) - 0.5 * ridge * coef * coef; }
  double gap() const {
    const double r = slope - value;
    const double excess = r > kink ? r - kink : r < -kink ? r + kink : 0.0;
    const double best = excess == 0  ? 0.0
                        : ridge > 0  ? std::clamp(excess / ridge, lower, upper)
                        : excess > 0 ? upper
                                     : lower;
    const double loss = best == 0 ? 0.0 : best * r - kink * std::abs(best) - 0.5 * ridge * best * best;
    return loss - (coef * r - kink * std::abs(coef) - 0.5 * ridge * coef * coef);
  }
  // How far the value may move before the coefficient leaves the bound at which it and its centre rest; negative where
  // they do not.
  double slack() const {
    const double r = slope - value;
    if (ridge == 0 && coef != centre) return -1;
    if (lower == upper) return std::numeric_limits<double>::infinity();
    if (coef == upper) return upper > 0 ? r - kink - ridge * upper : r + kink;
    if (coef == lower) return lower < 0 ? -r - kink + ridge * lower : kink - r;
    return coef == 0 ? kink - std::abs(r) : -1;
  }
  // What a larger and a smaller coefficient would gain, at most zero at the optimum.
  double gain_up() const {
    return coef < upper ? slope - value + (coef < 0 ? kink : -kink) - ridge * coef
                        : -std::numeric_limits<double>::infinity();
  }
  double gain_down() const {
    return coef > lower ? value - slope + (coef > 0 ? kink : -kink) + ridge * coef
                        : -std::numeric_limits<double>::infinity();
  }
};

// Where the method stands, summed over rows.
struct LossStanding {
  double gap = 0;                     // the share of the rows in the duality gap
  double dual = 0;                    // that in the dual objective
  double size = 0;                    // sum |coef|
  double gain_up = 0, gain_down = 0;  // the most that a larger and a smaller coefficient would gain

  void take(const LossRow& row) {
    gap += row.gap();
    dual += row.dual();
    size += std::abs(row.coef);
    gain_up = std::max(gain_up, row.gain_up());
    gain_down = std::max(gain_down, row.gain_down());
  }
  void take(const LossStanding& other) {
    gap += other.gap;
    dual += other.dual;
    size += other.size;
    gain_up = std::max(gain_up, other.gain_up);
    gain_down = std::max(gain_down, other.gain_down);
  }
};

}  // namespace mercer
