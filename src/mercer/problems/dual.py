"""The one form of all problems.

Dual     max slopeᵀc − ½ cᵀKc − kinkᵀ|c|   with  lower ≤ c ≤ upper and Σ c as at `start`
Primal   min ½‖w‖² + b Σ c + Σ max(0, upper (slope − kink − f), lower (slope + kink − f)),   f = wᵀφ + b

A coefficient c is a multiplier with the sign of its row, lower ≤ 0 ≤ upper, and the multiplier of the sum is the
intercept b. With `two_sums`, the positive and the negative coefficients have a sum each, and each sum has its own
multiplier: "offsets" b₊ and b₋ below. A problem with one sum has one offset.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

import numpy as np

from mercer._runtime import core
from mercer.plain_state import PlainState
from mercer.problems.groups import Groups
from mercer.typing import Booleans, Floats, Integers

__all__ = ["AT_BOUND", "DualProblem", "Offsets", "Sides", "KktSummary", "Start"]

#: Coefficients nearer to a bound than this share of it are at the bound, and sums that differ by no more are the same:
#: some roundings of C · weight.
AT_BOUND = 1e-12


class Start(NamedTuple):
    """Feasible coefficients to begin from; a cold start knows nothing, so that a solver may begin with samples.

    Of a cold start, `held_out` may ask what a machine of the other rows makes of the last rows of each group: so many.
    """

    coef: Floats
    is_cold: bool
    held_out: Sequence[int] = ()


class Offsets(NamedTuple):
    """What the optimality conditions say of the offsets: one row a sum, one column a group.

    They allow those from `least` to `largest`; off the optimum the first is larger, by the violation. `best` is the
    average over free rows, or the middle of the interval where there are none.
    """

    least: Floats
    largest: Floats
    best: Floats

    @property
    def violation(self) -> Floats:
        """m(c) − M(c) of each group."""
        return np.asarray(np.max(self.least - self.largest, axis=0))


class KktSummary(NamedTuple):
    """The same by one pass of the core, with what else a quick look at the coefficients needs.

    `is_inside` tells whether all are within their bounds, `imbalance` how far a sum is off at most; `largest_size` is
    the largest Σ |c| of a group.
    """

    offsets: Offsets
    is_inside: bool
    imbalance: float
    largest_size: float
    largest_slope: float
    largest_bound: float


class Sides(NamedTuple):
    """Which way each coefficient can go, and what the objective gains by it, before the offset is taken off.

    One entry a sum: rows whose coefficient can grow within it or fall within it. `gain_up` and `gain_low` are one array
    where the size of a coefficient has no price.
    """

    up: tuple[Booleans, ...]
    low: tuple[Booleans, ...]
    free: tuple[Booleans, ...]
    gain_up: Floats
    gain_low: Floats


class DualProblem(PlainState, ABC):
    """A problem on the rows of one group, or of several independent ones side by side. Nothing changes it."""

    two_sums: ClassVar[bool] = False
    #: How many sums of coefficients stay as they are, where these are not two.
    sums_kept: ClassVar[int] = 1

    def __init__(
        self, slope: Floats, lower: Floats, upper: Floats, kink: Floats | None, start: Floats, groups: Groups
    ) -> None:
        self.slope = slope
        self.lower = lower
        self.upper = upper
        self.kink = kink
        self.start = start
        self.groups = groups

    # ---------------------------------------------------------------- what each problem tells of itself

    @property
    @abstractmethod
    def name(self) -> str:
        """What is minimised, for people."""

    @abstractmethod
    def places(self, slack: Floats, offsets: Floats) -> dict[str, Booleans]:
        """Rows by where they lie, given how far each is on the wrong side of where it costs nothing."""

    def intercept(self, offsets: Floats) -> Floats:
        """b of each group."""
        return np.asarray(0.5 * (offsets[0] + offsets[1]) if self.two_sums else offsets[0])

    def units(self, offsets: Floats) -> Floats:
        """The size of the values at the margin of each group, by which machines are divided."""
        return np.ones(offsets.shape[1])

    def attainable(self, offsets: Floats) -> Floats:
        """The nearest offsets that a machine can have."""
        return offsets

    # ---------------------------------------------------------------- for the core, and in parts

    @property
    def is_hard_margin(self) -> bool:
        return False

    @property
    def unit(self) -> float:
        """How far values lie apart, about; zero where only the values themselves tell."""
        return 1.0

    def lowered(self, start: Start) -> core.Problems:
        """What the core solves, from feasible coefficients."""
        kink = np.zeros(len(self.slope)) if self.kink is None else self.kink
        rows = (self.slope, self.lower, self.upper, start.coef, kink)
        held_out = np.array(start.held_out, dtype=np.int64)
        return core.Problems(*rows, self.two_sums, start.is_cold, self.groups.starts, held_out)

    def of_groups(self, chosen: Sequence[int]) -> Self:
        """The problem on some of its groups."""
        if len(chosen) == len(self.groups):
            return self

        rows = np.concatenate([np.arange(run.start, run.stop) for run in map(self.groups.runs.__getitem__, chosen)])
        return self._of_rows(rows, self.groups.sizes[list(chosen)].tolist())

    def reordered(self, order: Integers) -> Self:
        """The same with the rows of each group in another order: their numbers among the rows of all groups."""
        return self._of_rows(order, self.groups.sizes.tolist())

    def without(self, left_out: Booleans) -> Self:
        """The problem on the other rows, some in each group; of problems whose sums are zero."""
        return self._of_rows(np.flatnonzero(~left_out), self.groups.count(~left_out).astype(np.int64).tolist())

    def _of_rows(self, rows: Integers, sizes: Sequence[int]) -> Self:
        some = copy(self)
        for name in ("slope", "lower", "upper", "kink", "start"):
            values = getattr(self, name)
            setattr(some, name, None if values is None else values[rows])
        some.groups = Groups(sizes)
        return some

    # ---------------------------------------------------------------- feasible points

    def sums(self, coef: Floats) -> Floats:
        """The sums that the constraints fix: one row a sum, one column a group."""
        if not self.two_sums:
            return self.groups.sum(coef)[None]
        return np.stack([self.groups.sum(np.maximum(coef, 0.0)), self.groups.sum(np.minimum(coef, 0.0))])

    @cached_property
    def fixed_sums(self) -> Floats:
        return self.sums(self.start)

    def feasible(self, coef: Floats) -> Floats:
        """A feasible point near the coefficients: clipped to the box, then the sums repaired by scaling.

        Where one sum is to be met, the heavier side is scaled down; a side that must grow goes towards its bounds,
        support vectors first. A difference of rounding stays: scaling it away would take coefficients off their bounds.
        """
        inside = np.clip(coef, self.lower, self.upper)
        for spare in (inside != 0, (self.lower == 0) | (self.upper == 0)):
            repaired = self._repaired(inside, spare)
            if repaired is not None:
                return repaired
        return self.start

    @property
    def cold_start(self) -> Start:
        return Start(self.start, is_cold=True)

    def continued(self, coef: Floats) -> Start:
        """Where to go on from coefficients of a like problem: a cold start, where too much is missing."""
        inside = np.clip(coef, self.lower, self.upper)
        repaired = self._repaired(inside, inside != 0)
        return self.cold_start if repaired is None else Start(repaired, is_cold=False)

    def _repaired(self, inside: Floats, spare: Booleans) -> Floats | None:
        """The sums met by coefficients within the box, of which some may grow; None where they cannot."""
        up, down = np.maximum(inside, 0.0), np.maximum(-inside, 0.0)
        weights = self.groups.sum(up), self.groups.sum(down)
        if self.two_sums:
            wanted = self.fixed_sums[0], -self.fixed_sums[1]
        else:
            total = self.fixed_sums[0]
            lighter = np.clip(weights[0] - total, 0.0, weights[1])
            wanted = lighter + total, lighter
        risen = self._towards(up, np.where(spare & (inside >= 0), self.upper, up), weights[0], wanted[0])
        fallen = self._towards(down, np.where(spare & (inside <= 0), -self.lower, down), weights[1], wanted[1])
        return None if risen is None or fallen is None else risen - fallen

    def _towards(self, values: Floats, bounds: Floats, weight: Floats, wanted: Floats) -> Floats | None:
        """Values ≥ 0 scaled down, or moved towards their bounds, to the wanted sums; None where they cannot."""
        groups, tolerance = self.groups, AT_BOUND * np.maximum(weight, wanted)
        heavier, lighter = weight > wanted + tolerance, weight < wanted - tolerance
        if heavier.any():
            factor = np.divide(wanted, weight, out=np.ones_like(weight), where=heavier)
            values = values * groups.spread(factor)
        if lighter.any():
            room = groups.sum(bounds - values)
            if (lighter & ~(room >= wanted - weight)).any():
                return None
            share = np.divide(wanted - weight, room, out=np.zeros_like(weight), where=lighter)
            values = values + (bounds - values) * groups.spread(share)
        return values

    # ---------------------------------------------------------------- optimality

    def kkt_summary(self, coef: Floats, products: Floats) -> KktSummary:
        """What the optimality conditions say of the offsets, given Σ_j coef_j k(x_j, x_i): a quick look."""
        rows = (self.slope, self.lower, self.upper, self.kink, self.two_sums, self.start, coef, products)
        numbers, is_inside, *others = core.kkt_summary(*rows, self.groups.starts, AT_BOUND)
        return KktSummary(Offsets(*numbers), is_inside, *others)

    def sides(self, coef: Floats, products: Floats) -> Sides:
        """Who can go where and what that gains, given Σ_j coef_j k(x_j, x_i)."""
        up, low = coef < self.upper * (1 - AT_BOUND), coef > self.lower * (1 - AT_BOUND)
        values = self.slope - products
        if self.kink is None:
            gain_up = gain_low = values
        else:
            gain_up = values + np.where(coef < 0, self.kink, -self.kink)
            gain_low = values + np.where(coef > 0, -self.kink, self.kink)
        if self.two_sums:
            below, above = coef < 0, coef > 0
            return Sides(
                up=(up & ~below, up & below),
                low=(low & above, low & ~above),
                free=(up & above, low & below),
                gain_up=gain_up,
                gain_low=gain_low,
            )
        free = up & low
        if self.kink is not None:
            free &= (coef != 0) | (self.kink == 0)
        return Sides((up,), (low,), (free,), gain_up, gain_low)

    def offsets(self, sides: Sides) -> Offsets:
        """What the optimality conditions say of the offsets."""
        parts = [self._offset(sides, *one) for one in zip(sides.up, sides.low, sides.free, strict=True)]
        if len(parts) == 1:
            least, largest, best = parts[0]
            return Offsets(least[None], largest[None], best[None])
        return Offsets(*map(np.stack, zip(*parts, strict=True)))

    def _offset(self, sides: Sides, up: Booleans, low: Booleans, free: Booleans) -> tuple[Floats, Floats, Floats]:
        """Least, largest and best offset of one sum in each group."""
        groups = self.groups
        least, largest = groups.max(sides.gain_up, up), groups.min(sides.gain_low, low)
        count, total = groups.count(free), groups.sum(np.where(free, sides.gain_up, 0.0))
        if count.all():
            return least, largest, total / count
        # One side of the interval is open where all rows of a side are at the same bound.
        ends = np.where(np.isinf(least), largest, least), np.where(np.isinf(largest), least, largest)
        middle = np.where(np.isinf(ends[0]), 0.0, 0.5 * ends[0] + 0.5 * ends[1])
        return least, largest, np.where(count > 0, total / np.maximum(count, 1), middle)

    # ---------------------------------------------------------------- objectives

    def primal(self, squared_norm: Floats, products: Floats, offsets: Floats) -> Floats:
        """The objective of the machines with these products and offsets."""
        of_sums = np.sum(offsets * self.fixed_sums, axis=0)
        return np.asarray(0.5 * squared_norm + of_sums + self._losses(products, offsets))

    def dual(self, coef: Floats, squared_norm: Floats, products: Floats, diagonal: Floats) -> Floats:
        """A lower bound on the dual value at the feasible point nearest to the coefficients.

        With c' = c + Δ feasible, cᵀ'Kc' = cᵀKc + 2 (Kc)ᵀΔ + ΔᵀKΔ, and the last term is at most (Σ |Δ_i| √k_ii)².
        """
        groups, feasible = self.groups, self.feasible(coef)
        move = feasible - coef
        linear = self.slope * feasible - products * move
        if self.kink is not None:
            linear -= self.kink * np.abs(feasible)
        farthest = groups.sum(np.abs(move) * np.sqrt(np.maximum(diagonal, 0.0)))
        return groups.sum(linear) - 0.5 * (squared_norm + farthest**2)

    def margin(self, norm: Floats, offsets: Floats) -> Floats | None:
        """The distance in feature space that is to be as large as can be; None where the problem has none."""
        return None

    def slack(self, products: Floats, offsets: Floats) -> Floats:
        """How far each row is beyond where it costs nothing: its price is this times its bound on that side."""
        above, below = self._beyond(products, offsets)
        return np.where(above > 0, above, np.maximum(below, 0.0))

    def _losses(self, products: Floats, offsets: Floats) -> Floats:
        """Σ max(0, upper · above, −lower · below) of each group."""
        above, below = self._beyond(products, offsets)
        with np.errstate(invalid="ignore"):
            costs = np.where(above > 0, self.upper * above, 0.0), np.where(below > 0, -self.lower * below, 0.0)
        return self.groups.sum(np.maximum(*costs))

    def _beyond(self, products: Floats, offsets: Floats) -> tuple[Floats, Floats]:
        """How far a row asks for a larger coefficient, where it may have one, and for a smaller."""
        values, groups = self.slope - products, self.groups
        kink = 0.0 if self.kink is None else self.kink
        above = np.where(self.upper > 0, values - kink - groups.spread(offsets[0]), 0.0)
        below = np.where(self.lower < 0, groups.spread(offsets[-1]) - values - kink, 0.0)
        return above, below
