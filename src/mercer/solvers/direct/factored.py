"""A symmetric system, scaled and factored, whose solutions are refined with residuals in twice the precision."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs

from mercer._runtime import core
from mercer.solvers.direct.extended import Extended
from mercer.typing import Floats

__all__ = ["Factored"]

_TINY = 1e-300
# A residual of this share of the right side is none.
_EXACT = 1e-15
# Refinements, and what a residual must shrink to for another one.
_MOST_REFINEMENTS = 5
_WORTH = 0.5
# Systems up to so many unknowns are refined until that no longer helps; larger ones once, in float64.
_SMALL = 700


class Factored:
    """matrix x = rhs; `size` tells how large each unknown's own coefficients are, so that it can be scaled to one."""

    def __init__(self, matrix: Floats, size: Floats) -> None:
        # By powers of two, which round nothing.
        self.scale = np.exp2(np.round(-0.5 * np.log2(np.maximum(size, _TINY))))
        self.matrix = np.ascontiguousarray(matrix * self.scale[:, None] * self.scale)
        self.lu, self.pivots, _ = dgetrf(self.matrix)  # what is singular gives numbers that are not finite
        self.none = np.zeros_like(self.matrix) if len(matrix) <= _SMALL else None

    def _solved(self, rhs: Floats) -> Floats:
        return np.asarray(dgetrs(self.lu, self.pivots, rhs)[0])

    def solve(self, rhs: Floats) -> Extended:
        """The solution, and what float64 leaves of it."""
        given = rhs * self.scale
        found, low = self._solved(given), np.zeros_like(given)
        if self.none is None:
            found += self._solved(given - self.matrix @ found)
            return Extended(found * self.scale, low)
        had, largest = np.inf, float(np.abs(given).max())
        for _ in range(_MOST_REFINEMENTS):
            high, rest = core.twofold_products(self.matrix, self.none, found, 1)
            if low.any():
                more, least = core.twofold_products(self.matrix, self.none, low, 1)
                rest = rest + more + least
            residual = (given - high) - rest
            size = float(np.abs(residual).max())
            if not size < _WORTH * had:
                break
            had = size
            found, low = Extended(found, low).plus(self._solved(residual))
            if size <= _EXACT * largest:
                break
        return Extended(found * self.scale, low * self.scale)
