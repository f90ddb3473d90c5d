"""Exact search among sparse rows in the core: products with all rows column by column, near ones by differences."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime import core
from mercer.data.arrays import as_core_data, core_ready
from mercer.neighbours.found import Exactness, Nearest, Within, flags
from mercer.neighbours.parts import FittingSearch, RowParts
from mercer.neighbours.search import Search
from mercer.neighbours.units import check_size, largest_of, unit_of
from mercer.typing import Floats, Integers

__all__ = ["SparseIndex", "cosine_distances"]

_OF_OPPOSITE_ROWS = 2.0

# Rows whose entries stand together by columns, as the core has them.
_BLOCK_ROWS = 16384


class SparseIndex:
    """Sparse rows, by Euclidean distance or by the cosine.

    Parameters
    ----------
    X : CSR matrix
        Of float32 or float64.
    by_cosine : bool
        Whether distances are 1 − cos; those of a row of zeros are one.
    """

    def __init__(self, X: Any, by_cosine: bool) -> None:
        self.X, self._by_cosine = X, by_cosine
        self._unit = 1.0 if by_cosine else unit_of(largest_of(X.data))

    @property
    def plan(self) -> str:
        of_length_one = "Rows of length one. " if self._by_cosine else ""
        return f"{of_length_one}Products with all rows in float64, column by column; near ones by their differences."

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        rows, squared, counts = self._core.nearest(self._read(Q), *flags(excluded, forgotten), k=k, threads=threads)
        squared = squared.reshape(Q.shape[0], k)
        return Nearest(
            rows.view(np.int64).reshape(squared.shape),
            self._distances(squared),
            Exactness(*counts),
            squared if self._unit == 1 else None,
        )

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        reach = 2 * radius if self._by_cosine else (radius * self._unit) ** 2
        begins, rows, squared, counts = self._core.within(
            self._read(Q), *flags(excluded, forgotten), squared_radius=float(reach), threads=threads
        )
        return Within(begins.view(np.int64), rows.view(np.int64), self._distances(squared), Exactness(*counts))

    @property
    def bytes(self) -> int:
        """Entries by rows and by columns, where columns begin in each block, norms, and a copy as it is made."""
        n, d = self.X.shape
        return int(self.X.nnz * (12 + 12 + 12) + -(-n // _BLOCK_ROWS) * 8 * d + n * 32)

    @property
    def bytes_per_query(self) -> int:
        return int(24 * self.X.nnz // max(1, self.X.shape[0]) + 8)

    def fitted(self, room: float) -> Search:
        return FittingSearch(self, lambda: RowParts(self.X, lambda X: SparseIndex(X, self._by_cosine), room), room)

    def _distances(self, squared: Floats) -> Floats:
        if self._by_cosine:
            return cosine_distances(squared)
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.sqrt(squared) / self._unit)

    @cached_property
    def _core(self) -> core.SparseIndex:
        return core.SparseIndex(self._read(self.X), self._by_cosine)

    def _read(self, rows: Any) -> core.Data:
        rows = rows.astype(np.float64)
        if self._by_cosine:
            return as_core_data(core_ready(_of_length_one(rows)))
        check_size(largest_of(rows.data), self._unit)
        return as_core_data(core_ready(rows if self._unit == 1 else rows * self._unit))


def cosine_distances(squared: Floats) -> Floats:
    """1 − cos of rows of length one from their squared distances; infinite where there is none."""
    return np.where(np.isinf(squared), np.inf, np.minimum(squared / 2, _OF_OPPOSITE_ROWS))


def _of_length_one(X: Any) -> Any:
    # Squares must not overflow; and quotients, but not products with the inverse, are the same for multiples of a row.
    scaled = _divided(X, abs(X).max(axis=1).toarray().ravel())
    return _divided(scaled, np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel()))


def _divided(X: Any, divisors: Floats) -> Any:
    """Each row by its divisor; rows of zeros stay."""
    each = np.repeat(np.where(divisors > 0, divisors, 1.0), np.diff(X.indptr))
    return sp.csr_matrix((X.data / each, X.indices, X.indptr), shape=X.shape)
