"""A symmetric system, scaled and factored, whose solutions are refined once."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from mercer.typing import Floats

__all__ = ["Factored"]

_TINY = 1e-300


class Factored:
    """matrix x = rhs; `size` tells how large each unknown's own coefficients are, so that it can be scaled to one."""

    def __init__(self, matrix: Floats, size: Floats) -> None:
        self.scale = 1 / np.sqrt(np.maximum(size, _TINY))
        self.matrix = matrix * self.scale[:, None] * self.scale
        self.factor = lu_factor(self.matrix, check_finite=False)

    def solve(self, rhs: Floats) -> Floats:
        given = rhs * self.scale
        found = lu_solve(self.factor, given, check_finite=False)
        found += lu_solve(self.factor, given - self.matrix @ found, check_finite=False)
        return np.asarray(found * self.scale)
