"""Rows that stand for all: pivoted Cholesky takes, one after the other, the row that those before it explain least.

Of the chosen rows Z, K ≈ F Fᵀ with F = K_XZ L⁻ᵀ, L Lᵀ = K_ZZ, and what is left of the diagonal of K tells each row's
error. One column of K is made a pivot; K itself never is.

See          Harbrecht, Peters and Schneider, On the low-rank approximation by the pivoted Cholesky decomposition,
             Appl. Numer. Math. 2012
"""

from __future__ import annotations

import numpy as np

from mercer.errors import kernel_overflow
from mercer.rows.rows import Rows
from mercer.typing import Floats, Integers

__all__ = ["pivots"]


def pivots(rows: Rows, most: int, threads: int) -> Integers:
    """The first `most` pivots in their order; fewer where what is left of the diagonal is rounding."""
    n = len(rows)
    with np.errstate(over="ignore"):
        left = _finite(rows, np.array(rows.diagonal, dtype=np.float64))
    rounding = n * np.finfo(np.float64).eps * float(np.abs(left).max())
    # Columns of F are rows here: a step adds one, and goes through those before it.
    F = np.empty((min(most, n), n))
    chosen: list[int] = []
    everyone = np.arange(n)
    while len(chosen) < len(F):
        pivot = int(left.argmax())
        if left[pivot] <= rounding:
            break
        before = F[: len(chosen)]
        column = _column(rows, pivot, everyone, threads) - before[:, pivot] @ before
        column /= np.sqrt(left[pivot])
        F[len(chosen)] = column
        left -= column * column
        left[pivot] = -np.inf  # rounding must not choose it again
        chosen.append(pivot)
    return np.array(chosen, dtype=np.int64)


def _column(rows: Rows, pivot: int, everyone: Integers, threads: int) -> Floats:
    """k between one row and all, as a sum of one term: sums need no copy of the rows."""
    return _finite(rows, rows.expand([everyone], [np.array([pivot])], [np.ones(1)], threads)[0])


def _finite(rows: Rows, values: Floats) -> Floats:
    if not np.all(np.isfinite(values)):
        raise kernel_overflow(rows.kernel)
    return values
