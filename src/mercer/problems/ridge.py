"""Ridge regression in feature space: a problem whose optimum is the solution of a linear system.

Solved is, for every column y of the targets with its own α, and rows of weight v,

    min ½ Σ_i v_i (y_i − f(x_i) − b)² + ½ α ‖f‖²,    f(x) = Σ_j c_j k(x_j, x),

with b = 0 where there is no intercept. Its dual is max α (yᵀc − ½ cᵀKc − ½ α Σ_i c_i² / v_i) over c, with Σ_i c_i = 0
where there is an intercept. Both meet where

    K c + α c / v + b = y,

and whatever c and b are, the gap between them is ½ Σ_i v_i r_i² with r what that system leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer.typing import Floats, Integers

__all__ = ["RidgeProblem"]


@dataclass(frozen=True, eq=False, repr=False)
class RidgeProblem:
    """Targets (one column a function), positive weights of the rows, α of each function, and whether there is b."""

    targets: Floats
    weights: Floats
    alpha: Floats
    has_intercept: bool

    name = "Kernel ridge regression"

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def roots(self) -> Floats:
        """√v of every row: times these, the system is symmetric, (√v K √v + α) (c / √v) + √v b = √v y."""
        return np.sqrt(self.weights)

    @cached_property
    def middles(self) -> Floats:
        """What is taken from the targets first: their weighted means where there is an intercept."""
        if not self.has_intercept:
            return np.zeros(self.targets.shape[1])
        return np.asarray(self.weights @ self.targets / self.weights.sum())

    @cached_property
    def sizes(self) -> Floats:
        """‖√v (y − middle)‖ of every column: what a residual is small beside."""
        return np.asarray(np.linalg.norm(self.roots[:, None] * (self.targets - self.middles), axis=0))

    def feasible(self, coef: Floats) -> Floats:
        """The nearest coefficients that the dual allows."""
        if not self.has_intercept:
            return coef
        return coef - np.outer(self.weights, coef.sum(axis=0) / self.weights.sum())

    def residuals(self, coef: Floats, intercept: Floats, products: Floats) -> Floats:
        """√v times what the system leaves, where `products` are K c."""
        left = (self.targets - intercept) - products - self.alpha * (coef / self.weights[:, None])
        return np.asarray(self.roots[:, None] * left)

    def primal(self, coef: Floats, intercept: Floats, products: Floats) -> Floats:
        """The objective of every column."""
        errors = self.roots[:, None] * (self.targets - intercept - products)
        norms = np.einsum("ij,ij->j", coef, products)
        return np.asarray(0.5 * np.einsum("ij,ij->j", errors, errors) + 0.5 * self.alpha * norms)

    def with_alpha(self, alpha: Floats) -> RidgeProblem:
        """The same problem with another α for each column."""
        return RidgeProblem(self.targets, self.weights, alpha, self.has_intercept)

    def columns(self, chosen: Integers) -> RidgeProblem:
        """The problem of some of the targets."""
        return RidgeProblem(self.targets[:, chosen], self.weights, self.alpha[chosen], self.has_intercept)
