"""One matrix for all α: what it takes to solve with A + α, and to know the diagonal of the inverse, again and again.

Solves       the system of ridge regression for many α, and what machines say of rows left out
Given        √v K √v in a form in which a further α costs little: its `spectrum`, or a `band` that it is turned into
Returns      d and b of every α; the errors at rows left out
Stops when   it is done, in float64
See          Rifkin and Lippert, Notes on regularized least squares, 2007
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from mercer.solvers.systems.left_out import missed_by
from mercer.typing import Floats

__all__ = ["Shifted", "Solutions"]


class Solutions(NamedTuple):
    """d and b for every α, shapes (alphas, rows, columns) and (alphas, columns), and z where there is an intercept."""

    d: Floats
    intercept: Floats
    border: Floats | None


class Shifted(ABC):
    """A = √v K √v in a form that takes any α at once."""

    roots: Floats

    @abstractmethod
    def solve(self, columns: Floats, alphas: Floats) -> Floats:
        """(A + α)⁻¹ times the columns, for every α: shape (alphas, rows, columns)."""

    @abstractmethod
    def diagonals(self, alphas: Floats) -> Floats:
        """The diagonal of (A + α)⁻¹ for every α: shape (alphas, rows)."""

    def solutions(self, targets: Floats, alphas: Floats, has_intercept: bool) -> Solutions:
        """The solutions for targets √v (y − mean), one column each."""
        if not has_intercept:
            return Solutions(self.solve(targets, alphas), np.zeros((len(alphas), targets.shape[1])), None)
        found = self.solve(np.column_stack([targets, self.roots]), alphas)
        d, border = found[:, :, :-1], found[:, :, -1]
        b = (self.roots @ d) / (border @ self.roots)[:, None]
        return Solutions(d - border[:, :, None] * b[:, None, :], b, border)

    def left_out(self, targets: Floats, alphas: Floats, has_intercept: bool) -> Floats:
        """y_i − f₋ᵢ(x_i) for every α, row and column of targets."""
        found = self.solutions(targets, alphas, has_intercept)
        borders = [None] * len(alphas) if found.border is None else list(found.border)
        parts = zip(found.d, self.diagonals(alphas), borders, strict=True)
        return np.stack([missed_by(d, diagonal, border, self.roots) for d, diagonal, border in parts])
