"""Cholesky factors of the system in float32 or float64, in place of the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.blas import dtrsv, strsv
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

from mercer.rows import Precision
from mercer.solvers.systems.system import System
from mercer.typing import Floats

__all__ = ["Factor", "factored"]

# To factor, to solve for many columns, and for one.
_ROUTINES: dict[Precision, Any] = {np.float32: (spotrf, spotrs, strsv), np.float64: (dpotrf, dpotrs, dtrsv)}
# One column takes a fifth of the time alone; so few are solved one after the other.
_FEW_COLUMNS = 4


class Factor:
    """L with L Lᵀ = A; a call solves A e = r about, in its own precision."""

    def __init__(self, L: Any, dtype: Precision) -> None:
        self.L = L
        self.dtype = dtype

    def __call__(self, r: Floats) -> Floats:
        # float32 has little room for numbers of other sizes than one.
        sizes = np.abs(r).max(axis=0)
        sizes[sizes == 0] = 1.0
        _, solve, solve_one = _ROUTINES[self.dtype]
        rhs = np.asfortranarray((r / sizes).astype(self.dtype, copy=False))
        if r.shape[1] <= _FEW_COLUMNS:
            for column in rhs.T:
                column[:] = solve_one(self.L, solve_one(self.L, column, lower=1), lower=1, trans=1)
        else:
            rhs, _ = solve(self.L, rhs, lower=1, overwrite_b=1)
        return np.asarray(rhs.astype(np.float64) * sizes)


def factored(system: System, dtype: Precision) -> Factor | None:
    """The factor of A; None where A is not positive definite in this precision, or does not fit it."""
    try:
        A = system.matrix(dtype)
    except OverflowError:
        return None
    # A is symmetric, so that its transpose, which LAPACK reads, is A as well.
    L, info = _ROUTINES[dtype][0](A.T, lower=1, overwrite_a=1, clean=0)
    return Factor(L, dtype) if info == 0 else None
