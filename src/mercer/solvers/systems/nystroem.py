"""Nyström's approximation of the kernel matrix as a preconditioner: right in the directions that are large.

Of m rows Z, K ≈ F Fᵀ with F = K_XZ L⁻ᵀ, L Lᵀ = K_ZZ. Then (F Fᵀ + α)⁻¹ = (1 − F (FᵀF + α)⁻¹ Fᵀ) / α.

See          Frangella, Tropp and Udell, Randomized Nyström preconditioning, SIAM J. Matrix Anal. Appl. 2023
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, spotrf, spotrs

from mercer.rows import Precision
from mercer.solvers.systems.system import System
from mercer.typing import Floats

__all__ = ["NystroemPreconditioner", "nystroem"]

# Added to K_ZZ, as a share of what α comes to beside it: the approximation is off by that share of α.
_SHARE_OF_ALPHA = 0.01
# And at least this share of the mean of its diagonal, for rows that are there twice.
_LEAST_SHARE = 1e-9
# Rows of K_XZ that are made at a time.
_ROWS_PER_BLOCK = 4096


class NystroemPreconditioner:
    """F and the factor of FᵀF + α; a call applies the inverse of F Fᵀ + α."""

    def __init__(self, F: Any, L: Any, alpha: float) -> None:
        self.F = F
        self.L = L
        self.alpha = alpha

    @property
    def rank(self) -> int:
        return int(self.F.shape[1])

    def __call__(self, r: Floats) -> Floats:
        sizes = np.abs(r).max(axis=0)
        sizes[sizes == 0] = 1.0
        given = (r / sizes).astype(np.float32)
        inner, _ = spotrs(self.L, np.asfortranarray(self.F.T @ given), lower=1, overwrite_b=1)
        return np.asarray((given.astype(np.float64) - self.F @ inner) * (sizes / self.alpha))

    def diagonal(self) -> Floats:
        """The diagonal of (F Fᵀ + α)⁻¹."""
        halves = solve_triangular(self.L, self.F.T, lower=True, check_finite=False)
        return np.asarray((1.0 - np.einsum("ij,ij->j", halves, halves, dtype=np.float64)) / self.alpha)


def nystroem(system: System, rank: int, seed: int = 0) -> NystroemPreconditioner | None:
    """The preconditioner of a random choice of rows, in float32; None where that has no room for it."""
    chosen = np.sort(np.random.default_rng(seed).choice(len(system), size=min(rank, len(system)), replace=False))
    roots, rows = system.roots, system.rows
    among = rows.values(chosen) * np.outer(roots[chosen], roots[chosen])
    share = _SHARE_OF_ALPHA * system.alpha * len(chosen) / len(system)
    among.reshape(-1)[:: len(among) + 1] += max(share, _LEAST_SHARE * float(np.trace(among)) / len(among))
    L, info = dpotrf(among.T, lower=1, clean=1, overwrite_a=1)
    if info:
        return None
    with np.errstate(over="ignore"):
        lower = L.astype(np.float32)
    F = np.empty((len(system), len(chosen)), dtype=np.float32)
    for first in range(0, len(system), _ROWS_PER_BLOCK):
        block = np.arange(first, min(len(system), first + _ROWS_PER_BLOCK))
        F[block] = _factor_rows(system, block, chosen, lower)
    with np.errstate(over="ignore", invalid="ignore"):
        small = F.T @ F
        small.reshape(-1)[:: len(small) + 1] += np.float32(system.alpha)
    inner, info = spotrf(small.T, lower=1, clean=1, overwrite_a=1)
    return None if info or not np.all(np.isfinite(inner)) else NystroemPreconditioner(F, inner, system.alpha)


def _factor_rows(system: System, block: Any, chosen: Any, lower: Any, dtype: Precision = np.float32) -> Any:
    values = system.rows.block(block, chosen, system.threads, dtype).astype(dtype, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):  # whoever factors the result sees what does not fit
        values *= (system.roots[block][:, None] * system.roots[chosen]).astype(dtype)
    return solve_triangular(lower, values.T, lower=True, overwrite_b=True, check_finite=False).T
