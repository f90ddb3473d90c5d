"""Soft- and hard-margin classification.

Solves   min ½‖w‖² + Σ upper_i ξ_i   with  t_i (wᵀφ(x_i) + b) ≥ 1 − ξ_i,  ξ_i ≥ 0
Dual     max Σ α − ½ Σ α_i α_j t_i t_j k(x_i, x_j)   with  Σ α_i t_i = 0,  0 ≤ α ≤ upper
Given    the signs t, and the bounds upper = C · weight; infinite bounds are the hard margin
See      Cortes, Vapnik (1995), Support-vector networks
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.problems.box_qp import BoxQP
from mercer.problems.groups import Groups
from mercer.typing import Booleans, Floats

__all__ = ["Intercepts", "SupportVectorClassification"]

# Multipliers nearer to a bound than this share of it are at the bound, and sums that differ by no more are the same:
# some roundings of C · weight.
_AT_BOUND = 1e-12


@dataclass(frozen=True)
class Intercepts:
    """What the optimality conditions say of the intercepts, one value a problem.

    They allow those from `least` to `largest`; off the optimum the first is larger, by the violation. `best` is the
    average over free vectors, or the middle of the interval where there are none.
    """

    least: Floats
    largest: Floats
    best: Floats


@dataclass(frozen=True)
class SupportVectorClassification:
    """C-SVC on rows with signs ±1 and an upper bound for each multiplier: one problem, or several in groups of rows.

    "One value a problem" is an array as long as there are groups.
    """

    signs: Floats
    upper: Floats
    groups: Groups

    @classmethod
    def several(cls, signs: Sequence[Floats], upper: Floats) -> SupportVectorClassification:
        """Independent problems, each with its signs; the bounds of all their rows one after the other."""
        return cls(np.concatenate(signs), upper, Groups.of(signs))

    @property
    def is_hard_margin(self) -> bool:
        return math.isinf(self.upper[0])

    def lower(self, start: Floats | None = None) -> list[BoxQP]:
        """The box QPs, from zero or from the feasible points nearest to earlier solutions."""
        feasible = np.zeros(len(self.signs)) if start is None else self.feasible(start)
        linear = np.full(len(self.signs), -1.0)
        return [BoxQP(linear[run], self.signs[run], self.upper[run], feasible[run]) for run in self.groups.runs]

    def coef(self, alpha: Floats) -> Floats:
        """The signed coefficients of the expansion."""
        return self.signs * alpha

    def alpha(self, coef: Floats) -> Floats:
        return self.signs * coef

    def feasible(self, alpha: Floats) -> Floats:
        """Multipliers within the box whose two sides weigh the same: clipped, then the heavier side scaled down."""
        clipped = np.clip(alpha, 0.0, self.upper)
        positive = self.signs > 0
        weights = {side: self.groups.sum(np.where(positive == side, clipped, 0.0)) for side in (True, False)}
        lighter = np.minimum(weights[True], weights[False])
        for side, weight in weights.items():
            # A difference of rounding stays: scaling it away would take multipliers off their bounds.
            heavier = weight > lighter * (1 + _AT_BOUND)
            factor = np.divide(lighter, weight, out=np.ones_like(weight), where=heavier)
            clipped = np.where(positive == side, clipped * self.groups.spread(factor), clipped)
        return clipped

    def at_upper(self, alpha: Floats) -> Booleans:
        return alpha >= self.upper * (1 - _AT_BOUND)

    def sides(self, alpha: Floats) -> tuple[Booleans, Booleans]:
        """Where the signed coefficient can still grow, and where it can fall."""
        positive, above, below = self.signs > 0, alpha > 0, ~self.at_upper(alpha)
        return np.where(positive, below, above), np.where(positive, above, below)

    def intercepts(self, alpha: Floats, products: Floats) -> Intercepts:
        """What the optimality conditions say of the intercepts, given Σ_j coef_j k(x_j, x_i)."""
        offsets = self.signs - products
        up, low = self.sides(alpha)
        least, largest, free = self.groups.max(offsets, up), self.groups.min(offsets, low), up & low
        count = self.groups.count(free)
        total = self.groups.sum(np.where(free, offsets, 0.0))
        if count.all():
            return Intercepts(least, largest, total / count)
        # One side of the interval is open where all rows of a side are at the same bound.
        ends = np.where(np.isinf(least), largest, least), np.where(np.isinf(largest), least, largest)
        return Intercepts(least, largest, np.where(count > 0, total / np.maximum(count, 1), 0.5 * (ends[0] + ends[1])))
