"""Features in which the norm of a function over landmarks is Euclidean: F = K_XZ L⁻ᵀ with L Lᵀ = K_ZZ.

Landmarks that others explain up to rounding, and those of an indefinite kernel that leave no norm, are left out:
pivoted Cholesky finds them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mercer.typing import Floats, Integers

__all__ = ["Whitening", "whiten"]

# Pivots below this share of the largest are left out: coefficients grow with one over their roots, and sums of these
# keep about ten digits; K − K̂ grows by no more than this share at any row.
_LEAST_PIVOT = 1e-12


class Whitening(NamedTuple):
    """The landmarks that are kept, by their places among all, and L of these."""

    kept: Integers
    L: Floats

    @property
    def rank(self) -> int:
        return len(self.kept)

    def features(self, values: Floats) -> Floats:
        """Fᵀ of some rows, one column each, from k between them and all landmarks, in LAPACK's order."""
        return self._solved(values.take(self.kept, axis=1).T)

    def pulled(self, sums: Floats) -> Floats:
        """Fᵀu from K_ZX u, for each column."""
        return self._solved(sums[self.kept])

    def coef(self, w: Floats, width: int) -> Floats:
        """c with f = Σ_z c_z k(z, ·) from w with f = Σ_j w_j F_j."""
        found = np.zeros((width, w.shape[1]))
        found[self.kept] = self._solved(w.copy(), trans=1)
        return found

    def weights(self, coef: Floats) -> Floats:
        """w from c, which is zero at landmarks that are left out."""
        return np.asarray(self.L.T @ coef[self.kept])

    def _solved(self, right: Floats, trans: int = 0) -> Floats:
        """L⁻¹ or L⁻ᵀ times something that may be overwritten."""
        if not self.rank:
            return np.zeros_like(right)
        from scipy.linalg import solve_triangular  # it takes long to import

        options = {"lower": True, "trans": trans, "overwrite_b": True, "check_finite": False}
        return np.asarray(solve_triangular(self.L, right, **options))


def whiten(among: Floats) -> Whitening:
    """The whitening of landmarks with these values among them."""
    largest = float(np.diagonal(among).max(initial=0.0))
    if largest <= 0:
        return Whitening(np.zeros(0, dtype=np.int64), np.zeros((0, 0)))
    from scipy.linalg.lapack import dpstrf  # it takes long to import

    factor, order, rank, _ = dpstrf(np.asfortranarray(among), tol=_LEAST_PIVOT * largest, lower=1)
    return Whitening(order[:rank].astype(np.int64) - 1, np.tril(factor[:rank, :rank]))
