// The loops over losses, for vectors and for the rows that are left over. Included by ops_impl.hpp only.

#include "mercer/losses.hpp"
#include "vectors.hpp"

namespace mercer {
namespace {

// What a loop keeps of a row, for V a vector of rows or one double.
template <class V>
struct LossLanes {
  V slope, lower, upper, kink, weight, centre;

  LossLanes(const LossRows& rows, Index i)
      : slope(read(rows.slope, i)),
        lower(read(rows.lower, i)),
        upper(read(rows.upper, i)),
        kink(read(rows.kink, i)),
        weight(read(rows.weight, i)),
        centre(read(rows.centre, i)) {}

  static V read(const double* p, Index i) {
    V v;
    std::memcpy(&v, p + i, sizeof v);
    return v;
  }
  static void write(double* p, Index i, V v) { std::memcpy(p + i, &v, sizeof v); }
  static V size_of(V x) { return x > 0 ? x : -x; }
  // x, nearer to zero by the threshold.
  static V soft(V x, V threshold) {
    const V zero{};
    return x > threshold ? x - threshold : x < -threshold ? x + threshold : zero;
  }

  V clipped(V c) const {
    c = c < lower ? lower : c;
    return c > upper ? upper : c;
  }
  V coef_at(V f, V h) const { return clipped(soft(centre + h * (slope - f), h * kink)); }
  // Whether the coefficient is between its bounds, so that it moves with the value.
  auto moves(V coef) const { return (coef > lower) & (coef < upper) & ((coef != 0) | (kink == 0)); }
};

// Calls body.operator()<V>(i) for vectors of rows, and then for the rows that are left over.
template <class Body>
inline void over_lanes(Index count, Body body) {
  Index i = 0;
  for (; i + width<double> <= count; i += width<double>) body.template operator()<Simd<double>::V>(i);
  for (; i < count; ++i) body.template operator()<double>(i);
}

// Sums and largest values over vectors and over what is left.
struct LaneSum {
  Simd<double>::V lanes{};
  double rest = 0;

  void take(Simd<double>::V x) { lanes += x; }
  void take(double x) { rest += x; }
  double total() const {
    double sum = rest;
    for (Index k = 0; k < width<double>; ++k) sum += lanes[k];
    return sum;
  }
};
struct LaneMax {
  Simd<double>::V lanes{};
  double rest = 0;

  void take(Simd<double>::V x) { lanes = x > lanes ? x : lanes; }
  void take(double x) { rest = x > rest ? x : rest; }
  double largest_with(double other) const {
    double most = other > rest ? other : rest;
    for (Index k = 0; k < width<double>; ++k) most = lanes[k] > most ? lanes[k] : most;
    return most;
  }
};

void begin_losses(const LossRows& rows, double scale, bool sets_centres, double band) {
  over_lanes(rows.count, [&]<class V>(Index i) {
    using Lanes = LossLanes<V>;
    Lanes own(rows, i);
    const V f = Lanes::read(rows.value, i);
    if (sets_centres) {
      own.centre = 0.5 * (own.lower + own.upper);
      const V coef = own.coef_at(f, scale / band * own.weight);
      own.centre = own.moves(coef) ? own.centre : coef;
      Lanes::write(rows.centre, i, own.centre);
    }
    Lanes::write(rows.coef, i, own.coef_at(f, scale * own.weight));
  });
}

LossSlope slope_of_losses(const LossRows& rows, double scale, double t) {
  LaneSum first, second;
  over_lanes(rows.count, [&]<class V>(Index i) {
    using Lanes = LossLanes<V>;
    const Lanes own(rows, i);
    const V change = Lanes::read(rows.change, i), h = scale * own.weight, zero{};
    const V coef = own.coef_at(Lanes::read(rows.value, i) + t * change, h);
    first.take((Lanes::read(rows.coef, i) - coef) * change);
    second.take(own.moves(coef) ? h * change * change : zero);
  });
  return {first.total(), second.total()};
}

// One bit a row, in the lanes that the mask has.
inline std::uint8_t bit_of(bool mask, LossEvent event) { return static_cast<std::uint8_t>(mask ? event : 0); }
inline Simd<double>::I bit_of(Simd<double>::I mask, LossEvent event) { return mask & std::int64_t(event); }
inline void write_events(std::uint8_t* events, std::uint8_t bits) { *events = bits; }
inline void write_events(std::uint8_t* events, Simd<double>::I bits) {
  for (Index k = 0; k < width<double>; ++k) events[k] = static_cast<std::uint8_t>(bits[k]);
}

template <bool is_smooth>
void settle_losses(const LossRows& rows, const LossMove& move, LossStanding& awake, LossStanding& asleep, double* by,
                   std::uint8_t* events) {
  LaneSum gap_awake, dual_awake, size_awake, dual_asleep, size_asleep;
  LaneMax gain_up, gain_down;
  constexpr double infinity = __builtin_inf();
  over_lanes(rows.count, [&]<class V>(Index i) {
    using Lanes = LossLanes<V>;
    const Lanes own(rows, i);
    const V zero{}, most = zero + infinity, kink = own.kink, h = move.scale * own.weight;
    const V change = Lanes::read(rows.change, i), before = Lanes::read(rows.coef, i);
    V f = Lanes::read(rows.value, i);
    if (move.t != 0) f += move.t * change;
    const V coef = own.coef_at(f, h);
    Lanes::write(rows.value, i, f);
    Lanes::write(rows.coef, i, coef);

    const auto moved = own.moves(before), moves = own.moves(coef);
    V more = coef - before;
    if (move.follows) {
      const auto stays = moves & moved & ((kink == 0) | ((coef > 0) == (before > 0)));
      more = stays ? zero : moved ? more + move.t * h * change : more;
    }
    Lanes::write(by, i, more);

    // What the row adds to the gap: its loss less what the coefficient makes of it.
    const V r = own.slope - f, excess = Lanes::soft(r, kink);
    V best, ridge = zero;  // the price of coef^2 / 2
    if constexpr (is_smooth) {
      ridge = 1 / own.weight;
      best = own.clipped(excess * own.weight);
    } else {
      best = excess > 0 ? own.upper : own.lower;
    }
    best = excess == 0 ? zero : best;
    const V priced = kink * Lanes::size_of(coef) + 0.5 * ridge * coef * coef;
    const V loss = best * r - kink * Lanes::size_of(best) - 0.5 * ridge * best * best;
    const V gap = loss - (coef * r - priced), dual = own.slope * coef - priced;

    // How far the value may move before a coefficient leaves the bound at which it and its centre rest.
    const V at_upper = own.upper > 0 ? r - kink - ridge * own.upper : r + kink;
    const V at_lower = own.lower < 0 ? -r - kink + ridge * own.lower : kink - r;
    V slack = coef == 0 ? kink - Lanes::size_of(r) : zero - 1;
    slack = coef == own.lower ? at_lower : slack;
    slack = coef == own.upper ? at_upper : slack;
    slack = own.lower == own.upper ? most : slack;
    Lanes::write(rows.change, i, slack);
    auto rests = slack > move.horizon * Lanes::read(rows.norm, i);
    if constexpr (!is_smooth) rests = rests & (coef == own.centre);
    rests = rests & !moves;

    const V up = coef < own.upper ? r - (coef < 0 ? -kink : kink) - ridge * coef : -most;
    const V down = coef > own.lower ? (coef > 0 ? kink : -kink) - r + ridge * coef : -most;
    const V size = Lanes::size_of(coef);
    gap_awake.take(rests ? zero : gap);
    gain_up.take(rests ? zero : up);
    gain_down.take(rests ? zero : down);
    dual_awake.take(rests ? zero : dual);
    size_awake.take(rests ? zero : size);
    dual_asleep.take(rests ? dual : zero);
    size_asleep.take(rests ? size : zero);
    write_events(events + i, bit_of(more != 0, sum_changed) | bit_of(moves & !moved, began_to_move) |
                                 bit_of(moved & !moves, ceased_to_move) | bit_of(rests, may_sleep));
  });
  // Field by field: a function that other levels have too would be one for the linker to choose.
  awake.gap += gap_awake.total();
  awake.dual += dual_awake.total();
  awake.size += size_awake.total();
  awake.gain_up = gain_up.largest_with(awake.gain_up);
  awake.gain_down = gain_down.largest_with(awake.gain_down);
  asleep.dual += dual_asleep.total();
  asleep.size += size_asleep.total();
}

void settle_any_losses(const LossRows& rows, const LossMove& move, LossStanding& awake, LossStanding& asleep,
                       double* by, std::uint8_t* events) {
  (move.is_smooth ? settle_losses<true> : settle_losses<false>)(rows, move, awake, asleep, by, events);
}

}  // namespace
}  // namespace mercer
