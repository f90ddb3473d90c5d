"""Exact search among rows with missing values in the core: distances over the features that both rows have."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.neighbours.found import Exactness, Nearest, Within, flags, nearest_of_all
from mercer.neighbours.parts import FittingSearch, RowParts
from mercer.neighbours.search import Search
from mercer.neighbours.units import check_size, unit_of
from mercer.typing import Floats, Integers

__all__ = ["MaskedIndex", "donors_in_parts"]


class MaskedIndex:
    """Dense rows whose missing values are NaN.

    The distance of two rows is √(d/s Σ (q − x)²) over the s of d features that both have; NaN where they share none.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
    """

    def __init__(self, X: Any) -> None:
        self.X = X
        self._unit = unit_of(_largest(X))

    @property
    def plan(self) -> str:
        d = self.X.shape[1]
        return f"All rows in float32 by those of {d} features that both have, and near ones in float64."

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        rows, squared, counts = self._core.nearest(self._scaled(Q), *flags(excluded, forgotten), k=k, threads=threads)
        squared = squared.reshape(len(Q), k)
        return Nearest(
            rows.view(np.int64).reshape(len(Q), k),
            self._distances(squared),
            Exactness(*counts),
            squared if self._unit == 1 else None,
        )

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        begins, rows, squared, counts = self._core.within(
            self._scaled(Q), *flags(excluded, forgotten), radius=float(radius * self._unit), threads=threads
        )
        return Within(begins.view(np.int64), rows.view(np.int64), self._distances(squared), Exactness(*counts))

    def donors(self, Q: Any, is_wanted: Any, k: int, threads: int) -> Nearest:
        """For each wanted feature of each query, in row-major order, the k nearest rows that have it.

        `is_wanted` says of each value of the queries whether it is. Rows are −1 where there are fewer.
        """
        begins = np.concatenate([[0], np.cumsum(is_wanted.sum(axis=1))]).astype(np.int64)
        features = np.nonzero(is_wanted)[1].astype(np.int64)
        rows, squared, counts = self._core.donors(self._scaled(Q), begins, features, k, threads)
        shape = len(features), k
        return Nearest(rows.view(np.int64).reshape(shape), self._distances(squared).reshape(shape), Exactness(*counts))

    @property
    def bytes(self) -> int:
        """Rows in float64, and what is there, squares and values in panels of float32."""
        n, d = self.X.shape
        return int(n * d * ((0 if self.X.dtype == np.float64 else 8) + 12))

    @property
    def bytes_per_query(self) -> int:
        return int(20 * self.X.shape[1])

    def fitted(self, room: float) -> Search:
        return FittingSearch(self, lambda: RowParts(self.X, MaskedIndex, room), room)

    @cached_property
    def _core(self) -> core.MaskedIndex:
        return core.MaskedIndex(self._scaled(self.X))

    def _scaled(self, rows: Any) -> Floats:
        check_size(_largest(rows), self._unit)
        scaled = np.ascontiguousarray(rows, dtype=np.float64)
        return scaled if self._unit == 1 else scaled * self._unit

    def _distances(self, squared: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.sqrt(squared) / self._unit)


def donors_in_parts(rows: Any, Q: Any, is_wanted: Any, k: int, threads: int, room: float) -> Nearest:
    """The donors among rows, of which as many are made ready at a time as fit so many bytes."""
    found: Nearest | None = None
    for part in RowParts(rows, MaskedIndex, room).parts:
        own = MaskedIndex(rows[part]).donors(Q, is_wanted, k, threads)
        found = nearest_of_all([own], [part.start], k, found)
    assert found is not None
    return found


def _largest(rows: Any) -> float:
    return float(np.abs(rows).max(initial=0.0, where=~np.isnan(rows)))
