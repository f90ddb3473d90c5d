"""What is known of the optimum of a constrained problem: point, multipliers, optimality conditions and dual."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.errors import InputError
from mercer.typing import Booleans, Floats

__all__ = ["KKTResiduals", "NoOptimumError", "Optimum"]


class NoOptimumError(InputError):
    """No optimum was found: there is no feasible point, no lower bound, or no way on from where the search stalled."""


@dataclass(frozen=True)
class KKTResiduals:
    """By how much the conditions of Karush, Kuhn and Tucker are violated, each as its largest violation."""

    #: ∇J + Σ λ ∇h + Σ μ ∇g = 0
    stationarity: float
    #: h = 0 and g ≤ 0
    primal_feasibility: float
    #: μ ≥ 0
    dual_feasibility: float
    #: μ g = 0
    complementarity: float

    @property
    def largest(self) -> float:
        """The largest of the four."""
        return max(self.stationarity, self.primal_feasibility, self.dual_feasibility, self.complementarity)


@dataclass(frozen=True, eq=False)
class Optimum:
    """A point that meets the conditions, and what the dual says of it.

    `gap` is primal − dual: zero for convex problems but for rounding, and never below. Where it is not zero, the
    problem is not convex, and the point may be a local minimum only.
    """

    #: The point.
    x: Floats
    #: Multipliers of the equalities, of any sign.
    lam: Floats
    #: Multipliers of the inequalities, none negative.
    mu: Floats
    #: Which inequalities hold with equality at x.
    active: Booleans
    residuals: KKTResiduals
    #: J(x)
    primal: float
    #: inf over x of the Lagrangian with these multipliers; −∞ where it has no lower bound.
    dual: float

    @property
    def gap(self) -> float:
        """primal − dual"""
        return self.primal - self.dual

    def __str__(self) -> str:
        return (
            f"J = {self.primal:.10g} at x = {self.x.tolist()}; {int(self.active.sum())} of {len(self.mu)} inequalities "
            f"are active; the largest KKT residual is {self.residuals.largest:.1e}, the duality gap {self.gap:.1e}."
        )
