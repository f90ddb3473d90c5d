"""All α at once: of the eigenvalues λ and vectors Q of √v K √v, the inverse of A is Q (λ + α)⁻¹ Qᵀ.

Solves       the system of ridge regression for many α, and what machines say of rows left out
Given        rows under a kernel, √v of each, targets, all α
Returns      d and b of every α; the errors at rows left out
Stops when   it is done: one eigendecomposition, in float64
See          Rifkin and Lippert, Notes on regularized least squares, 2007
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from mercer.rows import Rows
from mercer.solvers.systems.left_out import missed_by
from mercer.solvers.systems.system import System
from mercer.typing import Floats

__all__ = ["Solutions", "Spectrum", "spectrum_bytes"]

_ROWS_PER_BLOCK = 512


class Solutions(NamedTuple):
    """d and b for every α, shapes (alphas, rows, columns) and (alphas, columns), and z where there is an intercept."""

    d: Floats
    intercept: Floats
    border: Floats | None


def spectrum_bytes(rows: int) -> int:
    """What an eigendecomposition takes: the matrix, its vectors, and as much again to work in."""
    return 24 * rows * rows


class Spectrum:
    """Eigenvalues and vectors of √v K √v."""

    def __init__(self, rows: Rows, roots: Floats, threads: int) -> None:
        self.roots = roots
        matrix = System(rows, roots, 0.0, threads).matrix(np.float64)
        self.values, self.vectors = eigh(matrix, overwrite_a=True, check_finite=False, driver="evd")
        if rows.is_definite:
            self.values = np.maximum(self.values, 0.0)  # below zero by rounding only

    @cached_property
    def _of_roots(self) -> Floats:
        return np.asarray(self.vectors.T @ self.roots)

    def solutions(self, targets: Floats, alphas: Floats, has_intercept: bool) -> Solutions:
        """The solutions for targets √v (y − mean), one column each."""
        count, columns = len(alphas), targets.shape[1]
        inverse = 1.0 / (self.values[:, None] + alphas)
        turned = inverse[:, :, None] * (self.vectors.T @ targets)[:, None, :]
        d = (self.vectors @ turned.reshape(len(self.roots), -1)).reshape(-1, count, columns).transpose(1, 0, 2)
        if not has_intercept:
            return Solutions(d, np.zeros((count, columns)), None)
        border = (self.vectors @ (inverse * self._of_roots[:, None])).T
        b = (self.roots @ d) / (border @ self.roots)[:, None]
        return Solutions(d - border[:, :, None] * b[:, None, :], b, border)

    def left_out(self, targets: Floats, alphas: Floats, has_intercept: bool) -> Floats:
        """y_i − f₋ᵢ(x_i) for every α, row and column of targets."""
        found = self.solutions(targets, alphas, has_intercept)
        inverse = 1.0 / (self.values[:, None] + alphas)
        diagonals = np.empty((len(self.roots), len(alphas)))
        for first in range(0, len(self.roots), _ROWS_PER_BLOCK):
            some = self.vectors[first : first + _ROWS_PER_BLOCK]
            diagonals[first : first + _ROWS_PER_BLOCK] = (some * some) @ inverse
        borders = [None] * len(alphas) if found.border is None else list(found.border)
        parts = zip(found.d, diagonals.T, borders, strict=True)
        return np.stack([missed_by(d, diagonal, border, self.roots) for d, diagonal, border in parts])
