"""The support of a distribution.

Solves   min ½‖w‖² − ν ρ Σ v + Σ v_i ξ_i   with  wᵀφ(x_i) ≥ ρ − ξ_i,  ξ_i ≥ 0
Dual     max −½ αᵀKα   with  Σ α = ν Σ v,  0 ≤ α ≤ v
Given    the weights v
See      Schölkopf, Platt, Shawe-Taylor, Smola, Williamson (2001), Estimating the support of a high-dimensional
         distribution
"""

from __future__ import annotations

import numpy as np

from mercer.problems.dual import DualProblem
from mercer.problems.groups import Groups
from mercer.problems.nu_svc import greedy_fill
from mercer.typing import Booleans, Floats

__all__ = ["OneClass"]


class OneClass(DualProblem):
    """One-class SVM: c = α; the offset is −ρ."""

    @classmethod
    def of(cls, weights: Floats, nu: float) -> OneClass:
        zero = np.zeros(len(weights))
        start = greedy_fill(weights, nu * float(weights.sum()))
        return cls(zero, zero, weights, None, start, Groups.of([weights]))

    @property
    def name(self) -> str:
        return "Support of a distribution (one-class SVM)"

    @property
    def unit(self) -> float:
        return 0.0

    def margin(self, norm: Floats, offsets: Floats) -> Floats:
        return np.asarray(-offsets[0] / norm)

    def places(self, slack: Floats, offsets: Floats) -> dict[str, Booleans]:
        return {"inliers": slack == 0, "outliers": slack > 0}
