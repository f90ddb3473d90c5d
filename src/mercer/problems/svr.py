"""Regression with a tube.

Solves   min ½‖w‖² + Σ bound_i ξ_i   with  |y_i − wᵀφ(x_i) − b| ≤ ε + ξ_i,  ξ_i ≥ 0
Dual     max yᵀc − ½ cᵀKc − ε Σ |c|   with  Σ c = 0,  |c| ≤ bound
Given    the targets y, the bounds C · weight and the half-width ε of the tube; infinite bounds make it hard
See      Smola, Schölkopf (2004), A tutorial on support vector regression
"""

from __future__ import annotations

import math

import numpy as np

from mercer.problems.dual import AT_BOUND, DualProblem
from mercer.problems.groups import Groups
from mercer.typing import Booleans, Floats

__all__ = ["SupportVectorRegression", "spread_of_targets"]


class SupportVectorRegression(DualProblem):
    """ε-SVR: one coefficient a row, whose size costs ε."""

    @classmethod
    def of(cls, y: Floats, bounds: Floats, epsilon: float) -> SupportVectorRegression:
        kink = np.full(len(y), epsilon) if epsilon > 0 else None
        return cls(y, -bounds, bounds, kink, np.zeros(len(y)), Groups.of([y]))

    @property
    def is_hard_tube(self) -> bool:
        """Whether no target may be missed by more than ε: the bounds are infinite."""
        return math.isinf(self.upper[0])

    def bounded(self, bound: float) -> SupportVectorRegression:
        """The same with finite bounds, one for all rows."""
        epsilon = 0.0 if self.kink is None else float(self.kink[0])
        return self.of(self.slope, np.full(len(self.slope), bound), epsilon)

    def is_at_bound(self, coef: Floats) -> Booleans:
        return np.asarray(np.abs(coef) >= self.upper * (1 - AT_BOUND))

    @property
    def unit(self) -> float:
        return spread_of_targets(self.slope)

    @property
    def name(self) -> str:
        return "Regression (ε-SVR)"

    def places(self, slack: Floats, offsets: Floats) -> dict[str, Booleans]:
        return {"inside the tube": slack == 0, "outside the tube": slack > 0}


def spread_of_targets(y: Floats) -> float:
    """The standard deviation, of numbers up to the largest that there are; one where they are all the same."""
    largest = float(np.abs(y).max()) or 1.0
    return largest * float((y / largest).std()) or 1.0
