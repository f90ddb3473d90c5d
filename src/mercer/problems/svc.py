"""Soft- and hard-margin classification.

Solves   min ½‖w‖² + Σ upper_i ξ_i   with  t_i (wᵀφ(x_i) + b) ≥ 1 − ξ_i,  ξ_i ≥ 0
Dual     max Σ α − ½ Σ α_i α_j t_i t_j k(x_i, x_j)   with  Σ α_i t_i = 0,  0 ≤ α ≤ upper
Given    the signs t, and the bounds upper = C · weight; infinite bounds are the hard margin
See      Cortes, Vapnik (1995), Support-vector networks
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.problems.box_qp import BoxQP
from mercer.problems.groups import Groups
from mercer.typing import Booleans, Floats

__all__ = ["SupportVectorClassification"]

# Multipliers nearer to a bound than this share of it are at the bound, and sums that differ by no more are the same:
# some roundings of C · weight.
_AT_BOUND = 1e-12


@dataclass(frozen=True)
class SupportVectorClassification:
    """C-SVC on rows with signs ±1 and an upper bound for each multiplier: one problem, or several in groups of rows.

    "One value a problem" is an array as long as there are groups.
    """

    signs: Floats
    upper: Floats
    groups: Groups

    @classmethod
    def several(cls, signs: Sequence[Floats], uppers: Sequence[Floats]) -> SupportVectorClassification:
        """Independent problems, each with its signs and bounds."""
        return cls(np.concatenate(signs), np.concatenate(uppers), Groups.of(signs))

    @property
    def is_hard_margin(self) -> bool:
        return bool(np.isinf(self.upper[0]))

    def lower(self, start: Floats | None = None) -> list[BoxQP]:
        """The box QPs, from zero or from the feasible points nearest to earlier solutions."""
        feasible = np.zeros(len(self.signs)) if start is None else self.feasible(start)
        parts = (self.groups.split(values) for values in (-np.ones(len(self.signs)), self.signs, self.upper, feasible))
        return [BoxQP(*vectors) for vectors in zip(*parts, strict=True)]

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

    def intercept_interval(self, alpha: Floats, products: Floats) -> tuple[Floats, Floats]:
        """The least and the largest intercept that the optimality conditions allow, given Σ_j coef_j k(x_j, x_i).

        One value a problem. At the optimum the first is no larger than the second; their difference is −violation.
        """
        offsets = self.signs - products
        up, low = self.sides(alpha)
        return self.groups.max(offsets, up), self.groups.min(offsets, low)

    def intercept(self, alpha: Floats, products: Floats) -> Floats:
        """The average over free vectors, or the middle of the interval where there are none; one value a problem."""
        free = (alpha > 0) & ~self.at_upper(alpha)
        count = self.groups.count(free)
        total = self.groups.sum(np.where(free, self.signs - products, 0.0))
        least, largest = self.intercept_interval(alpha, products)
        # One side of the interval is open where all rows of a side are at the same bound.
        least, largest = np.where(np.isinf(least), largest, least), np.where(np.isinf(largest), least, largest)
        return np.where(count > 0, total / np.maximum(count, 1), 0.5 * (least + largest))
