"""ν-classification.

Solves   min ½‖w‖² − ν ρ Σ v + Σ v_i ξ_i   with  t_i (wᵀφ(x_i) + b) ≥ ρ − ξ_i,  ξ_i ≥ 0,  ρ ≥ 0
Dual     max −½ Σ α_i α_j t_i t_j k(x_i, x_j)   with  Σ α_i t_i = 0,  Σ α = ν Σ v,  0 ≤ α ≤ v
Given    the signs t and the weights v
See      Schölkopf, Smola, Williamson, Bartlett (2000), New support vector algorithms

Divided by ρ, the machine is that of C-SVC with C = 1/ρ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from mercer.errors import ParameterError
from mercer.problems.dual import DualProblem
from mercer.problems.groups import Groups
from mercer.problems.svc import box_of_signs
from mercer.typing import Booleans, Floats

__all__ = ["NuClassification", "greedy_fill"]

# A nu that is larger than the largest feasible one by rounding only is that one.
_ROUNDING = 1e-12


class NuClassification(DualProblem):
    """ν-SVC: c = α t with the two sums ± ν Σ v / 2; the offsets are b ∓ ρ."""

    two_sums: ClassVar[bool] = True
    nu: float

    @classmethod
    def several(cls, signs: Sequence[Floats], weights: Floats, nu: float) -> NuClassification:
        """Independent problems, each with its signs; the weights of all their rows one after the other."""
        t, groups = np.concatenate(signs), Groups.of(signs)
        positive = t > 0
        sides = groups.sum(np.where(positive, weights, 0.0)), groups.sum(np.where(positive, 0.0, weights))
        least = np.minimum(*sides)
        half = 0.5 * nu * (sides[0] + sides[1])
        if (half > least * (1 + _ROUNDING)).any():
            largest = float(np.min(2 * least / (sides[0] + sides[1])))
            raise ParameterError(
                f"specified nu is infeasible: expected nu ≤ {largest!r} for these labels and weights, got {nu:g}. "
                "The smaller class of a pair can carry no more than its weight."
            )
        half = np.minimum(half, least)
        start = np.empty(len(t))
        for run, sum_ in zip(groups.runs, half, strict=True):
            for side in (positive[run], ~positive[run]):
                start[run][side] = t[run][side] * greedy_fill(weights[run][side], float(sum_))
        problem = cls(np.zeros(len(t)), *box_of_signs(t, weights), None, start, groups)
        problem.nu = nu
        return problem

    def without(self, left_out: Booleans) -> NuClassification:
        """The problem on the other rows, with the same ν, or the largest that they allow."""
        others = super().without(left_out)
        weights, positive = others.upper - others.lower, others.upper > 0
        sums = others.groups.sum(np.where(positive, weights, 0.0)), others.groups.sum(np.where(positive, 0.0, weights))
        nu = min(self.nu, float(np.min(2 * np.minimum(*sums) / (sums[0] + sums[1]))))
        return self.several(others.groups.split(np.where(positive, 1.0, -1.0)), weights, nu)

    @property
    def name(self) -> str:
        return "ν-classification (ν-SVC)"

    @property
    def unit(self) -> float:
        return 0.0

    def width(self, offsets: Floats) -> Floats:
        """ρ of each group."""
        return np.asarray(0.5 * (offsets[1] - offsets[0]))

    def units(self, offsets: Floats) -> Floats:
        return self.width(offsets)

    def offsets_around(self, intercept: Floats, width: Floats) -> Floats:
        """The offsets of machines with these b and ρ."""
        return np.stack([intercept - width, intercept + width])

    def attainable(self, offsets: Floats) -> Floats:
        return self.offsets_around(self.intercept(offsets), np.maximum(self.width(offsets), 0.0))

    def scaled_to_its_sums(self, coef: Floats) -> Floats:
        """The coefficients of a machine that was divided by ρ, undone: the sums tell by how much."""
        sums = np.maximum(self.sums(coef)[0], np.finfo(np.float64).tiny)
        return coef * self.groups.spread(self.fixed_sums[0] / sums)

    def margin(self, norm: Floats, offsets: Floats) -> Floats:
        return self.width(offsets) / norm

    def places(self, slack: Floats, offsets: Floats) -> dict[str, Booleans]:
        width = self.groups.spread(self.width(offsets))
        return {
            "outside": slack == 0,
            "inside the margin": (slack > 0) & (slack <= width),
            "misclassified": slack > width,
        }


def greedy_fill(bounds: Floats, total: float) -> Floats:
    """Values with that sum: the first at their bounds, then one between, then zeros."""
    before = np.concatenate([[0.0], np.cumsum(bounds)[:-1]])
    return np.clip(total - before, 0.0, bounds)
