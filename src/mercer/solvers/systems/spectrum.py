"""All α by eigenvalues λ and vectors Q of A = √v K √v: the inverse of A + α is Q (λ + α)⁻¹ Qᵀ, whatever its signs."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from mercer.solvers.systems.shifted import Shifted
from mercer.typing import Floats

__all__ = ["Spectrum"]

_ROWS_PER_BLOCK = 512


class Spectrum(Shifted):
    """Eigenvalues and vectors of A, which is overwritten."""

    def __init__(self, A: Floats, roots: Floats, is_definite: bool) -> None:
        self.roots = roots
        self.values, self.vectors = eigh(A, overwrite_a=True, check_finite=False, driver="evd")
        if is_definite:
            self.values = np.maximum(self.values, 0.0)  # below zero by rounding only

    def solve(self, columns: Floats, alphas: Floats) -> Floats:
        turned = self._inverse(alphas)[:, :, None] * (self.vectors.T @ columns)[:, None, :]
        found = self.vectors @ turned.reshape(len(self.roots), -1)
        return np.asarray(found.reshape(-1, len(alphas), columns.shape[1]).transpose(1, 0, 2))

    def diagonals(self, alphas: Floats) -> Floats:
        inverse, found = self._inverse(alphas), np.empty((len(self.roots), len(alphas)))
        for first in range(0, len(self.roots), _ROWS_PER_BLOCK):
            some = self.vectors[first : first + _ROWS_PER_BLOCK]
            found[first : first + _ROWS_PER_BLOCK] = (some * some) @ inverse
        return found.T

    def _inverse(self, alphas: Floats) -> Floats:
        return np.asarray(1.0 / (self.values[:, None] + alphas))
