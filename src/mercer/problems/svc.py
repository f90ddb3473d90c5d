"""Soft- and hard-margin classification.

Solves   min ½‖w‖² + Σ bound_i ξ_i   with  t_i (wᵀφ(x_i) + b) ≥ 1 − ξ_i,  ξ_i ≥ 0
Dual     max Σ α − ½ Σ α_i α_j t_i t_j k(x_i, x_j)   with  Σ α_i t_i = 0,  0 ≤ α ≤ bound
Given    the signs t, and the bounds C · weight; infinite bounds are the hard margin
See      Cortes, Vapnik (1995), Support-vector networks
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mercer.problems.dual import DualProblem
from mercer.problems.groups import Groups
from mercer.typing import Booleans, Floats

__all__ = ["SupportVectorClassification", "box_of_signs"]


class SupportVectorClassification(DualProblem):
    """C-SVC on rows with signs ±1: c = α t, and the slope is t."""

    @classmethod
    def several(cls, signs: Sequence[Floats], bounds: Floats) -> SupportVectorClassification:
        """Independent problems, each with its signs; the bounds of all their rows one after the other."""
        t = np.concatenate(signs)
        return cls(t, *box_of_signs(t, bounds), None, np.zeros(len(t)), Groups.of(signs))

    @property
    def name(self) -> str:
        return "Hard-margin classification" if self.is_hard_margin else "Soft-margin classification (C-SVC)"

    @property
    def is_hard_margin(self) -> bool:
        return math.isinf(self.upper[0] - self.lower[0])

    def primal(self, squared_norm: Floats, products: Floats, offsets: Floats) -> Floats:
        if not self.is_hard_margin:
            return super().primal(squared_norm, products, offsets)
        # The machine itself misses the constraints by rounding; divided by its least score it meets them exactly.
        least = self.groups.min(self.slope * (products + self.groups.spread(offsets[0])))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(least > 0, 0.5 * squared_norm / least**2, np.inf)

    def margin(self, norm: Floats, offsets: Floats) -> Floats:
        return 1 / norm

    def places(self, slack: Floats, offsets: Floats) -> dict[str, Booleans]:
        return {
            "outside": slack == 0,
            "inside the margin": (slack > 0) & (slack <= 1),
            "misclassified": slack > 1,
        }


def box_of_signs(signs: Floats, bounds: Floats) -> tuple[Floats, Floats]:
    """Where the signed coefficients lie whose size is at most `bounds`."""
    ends = signs * bounds
    return np.minimum(ends, 0.0), np.maximum(ends, 0.0)
