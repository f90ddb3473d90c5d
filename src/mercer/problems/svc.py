"""Soft- and hard-margin classification.

Solves   min ½‖w‖² + Σ upper_i ξ_i   with  t_i (wᵀφ(x_i) + b) ≥ 1 − ξ_i,  ξ_i ≥ 0
Dual     max Σ α − ½ Σ α_i α_j t_i t_j k(x_i, x_j)   with  Σ α_i t_i = 0,  0 ≤ α ≤ upper
Given    the signs t, and the bounds upper = C · weight; infinite bounds are the hard margin
See      Cortes, Vapnik (1995), Support-vector networks
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.problems.box_qp import BoxQP
from mercer.typing import Booleans, Floats

__all__ = ["SupportVectorClassification"]

# Multipliers nearer to a bound than this share of it are at the bound: one rounding of C · weight.
_AT_BOUND = 1e-12


@dataclass(frozen=True)
class SupportVectorClassification:
    """C-SVC on rows with signs ±1 and an upper bound for each multiplier."""

    signs: Floats
    upper: Floats

    name = "C-SVC"

    @property
    def is_hard_margin(self) -> bool:
        return bool(np.any(np.isinf(self.upper)))

    def lower(self, start: Floats | None = None) -> BoxQP:
        """The box QP, from zero or from the feasible point nearest to an earlier solution."""
        feasible = np.zeros(len(self.signs)) if start is None else self.feasible(start)
        return BoxQP(linear=-np.ones(len(self.signs)), signs=self.signs, upper=self.upper, start=feasible)

    def coef(self, alpha: Floats) -> Floats:
        """The signed coefficients of the expansion."""
        return self.signs * alpha

    def alpha(self, coef: Floats) -> Floats:
        return self.signs * coef

    def feasible(self, alpha: Floats) -> Floats:
        """Multipliers within the box whose two sides weigh the same: clipped, then the heavier side scaled down."""
        clipped = np.clip(alpha, 0.0, self.upper)
        positive = self.signs > 0
        sides = clipped[positive].sum(), clipped[~positive].sum()
        lighter = min(sides)
        for side, total in ((positive, sides[0]), (~positive, sides[1])):
            if total > lighter:
                clipped[side] *= lighter / total
        return clipped

    def at_upper(self, alpha: Floats) -> Booleans:
        return alpha >= self.upper * (1 - _AT_BOUND)

    def intercept_interval(self, alpha: Floats, products: Floats) -> tuple[float, float]:
        """The least and the largest intercept that the optimality conditions allow, given Σ_j coef_j k(x_j, x_i).

        At the optimum the first is no larger than the second; their difference is −violation.
        """
        offsets = self.signs - products
        positive, above, below = self.signs > 0, alpha > 0, ~self.at_upper(alpha)
        up = np.where(positive, below, above)
        low = np.where(positive, above, below)
        return float(np.max(offsets[up], initial=-np.inf)), float(np.min(offsets[low], initial=np.inf))

    def intercept(self, alpha: Floats, products: Floats) -> float:
        """The average over free vectors, or the middle of the interval where there are none."""
        free = (alpha > 0) & ~self.at_upper(alpha)
        if np.any(free):
            return float(np.mean((self.signs - products)[free]))
        least, largest = self.intercept_interval(alpha, products)
        if np.isinf(least) or np.isinf(largest):
            return least if np.isinf(largest) else largest
        return 0.5 * (least + largest)
