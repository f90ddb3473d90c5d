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

__all__ = ["SupportVectorRegression"]


class SupportVectorRegression(DualProblem):
    """ε-SVR: one coefficient a row, whose size costs ε."""

    @classmethod
    def of(cls, y: Floats, bounds: Floats, epsilon: float) -> SupportVectorRegression:
        kink = np.full(len(y), epsilon) if epsilon > 0 else None
        return cls(y, -bounds, bounds, kink, np.zeros(len(y)), Groups.of([y]))

    @property
    def unit(self) -> float:
        largest = float(np.abs(self.slope).max()) or 1.0
        return largest * float((self.slope / largest).std()) or 1.0

    @property
    def name(self) -> str:
        return "Regression (ε-SVR)"

    def places(self, slack: Floats, offsets: Floats) -> dict[str, Booleans]:
        return {"inside the tube": slack == 0, "outside the tube": slack > 0}
