"""Soft-margin classification by hyperplanes through the origin of feature space.

Solves   min ½‖w‖² + Σ bound_i ξ_i   with  t_i wᵀφ(x_i) ≥ 1 − ξ_i,  ξ_i ≥ 0
Dual     max Σ α − ½ Σ α_i α_j t_i t_j k(x_i, x_j)   with  0 ≤ α ≤ bound
Given    the signs t, and the bounds C · weight
See      docs/lectures/coordinate_ascent.md

Without an intercept there is no sum of coefficients to keep, so that each can move alone.
"""

from __future__ import annotations

import numpy as np

from mercer.problems.dual import KktSummary, Offsets, Sides, Start
from mercer.problems.svc import SupportVectorClassification
from mercer.typing import Floats

__all__ = ["ClassificationWithoutIntercept"]


class ClassificationWithoutIntercept(SupportVectorClassification):
    """C-SVC with b = 0: the box alone constrains the coefficients."""

    sums_kept = 0

    @property
    def name(self) -> str:
        return "Soft-margin classification without intercept"

    def sums(self, coef: Floats) -> Floats:
        return np.zeros((1, len(self.groups)))

    def feasible(self, coef: Floats) -> Floats:
        return np.clip(coef, self.lower, self.upper)

    def continued(self, coef: Floats) -> Start:
        return Start(self.feasible(coef), is_cold=False)

    def kkt_summary(self, coef: Floats, products: Floats) -> KktSummary:
        return KktSummary(
            offsets=self.offsets(self.sides(coef, products)),
            is_inside=bool(np.array_equal(self.feasible(coef), coef)),
            imbalance=0.0,
            largest_size=float(self.groups.sum(np.abs(coef)).max()),
            largest_slope=1.0,
            largest_bound=float(np.maximum(self.upper, -self.lower).max()),
        )

    def attainable(self, offsets: Floats) -> Floats:
        return np.zeros_like(offsets)

    def offsets(self, sides: Sides) -> Offsets:
        """Zero; and the interval around it shows by how much a coefficient would gain from moving."""
        (up,), (low,) = sides.up, sides.low
        least = np.maximum(self.groups.max(sides.gain_up, up), 0.0)
        largest = np.minimum(self.groups.min(sides.gain_low, low), 0.0)
        return Offsets(least[None], largest[None], np.zeros((1, len(self.groups))))
