"""Regression with a tube.

Solves   min ½‖w‖² + Σ bound_i ξ_i   with  |y_i − wᵀφ(x_i) − b| ≤ ε + ξ_i,  ξ_i ≥ 0
Dual     max yᵀc − ½ cᵀKc − ε Σ |c|   with  Σ c = 0,  |c| ≤ bound
Given    the targets y, the bounds C · weight and the half-width ε of the tube
See      Smola, Schölkopf (2004), A tutorial on support vector regression
"""

from __future__ import annotations

import numpy as np

from mercer.problems.dual import DualProblem
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
