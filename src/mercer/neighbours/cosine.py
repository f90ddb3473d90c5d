"""Search by the cosine distance: that of rows of length one is half their squared Euclidean distance."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Nearest, Within
from mercer.neighbours.parts import FittingSearch, RowParts, parts_of
from mercer.neighbours.search import Search
from mercer.typing import Integers

__all__ = ["CosineIndex"]

# Rows whose lengths are taken at a time.
_AT_ONCE = 1 << 12


class CosineIndex:
    """Dense rows, none of which is zero."""

    def __init__(self, X: Any) -> None:
        self.X = X

    @cached_property
    def _index(self) -> EuclideanIndex:
        return EuclideanIndex(_of_length_one(self.X))

    @property
    def plan(self) -> str:
        return f"Rows of length one. {self._index.plan}"

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        found = self._index.nearest(_of_length_one(Q), k, threads, excluded, forgotten)
        return found._replace(distances=_cosine(found.distances, found.rows, Q))

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        reach = np.sqrt(2 * radius) if radius > 0 else 0.0
        found = self._index.within(_of_length_one(Q), reach, threads, excluded, forgotten)
        return found._replace(distances=found.distances**2 / 2)

    @property
    def bytes(self) -> int:
        """Rows of length one, and their index at most."""
        n, d = self.X.shape
        return int(n * (8 * d + 8 * d + 32))

    @property
    def bytes_per_query(self) -> int:
        return int(12 * self.X.shape[1] + 4)

    def fitted(self, room: float) -> Search:
        return FittingSearch(self, lambda: RowParts(self.X, CosineIndex, room), room)


def _of_length_one(X: Any) -> Any:
    found = np.empty(X.shape)  # lengths of float32 would round away what tells near rows apart
    for part in parts_of(len(X), _AT_ONCE):
        own = np.asarray(X[part], dtype=np.float64)
        largest = np.abs(own).max(axis=1, keepdims=True)  # squares must not overflow
        scaled = np.divide(own, largest, out=np.zeros_like(own), where=largest > 0)
        norms = np.linalg.norm(scaled, axis=1, keepdims=True)
        found[part] = np.divide(scaled, norms, out=np.zeros_like(scaled), where=norms > 0)
    return found


def _cosine(distances: Any, rows: Any, Q: Any) -> Any:
    """A query that is zero has distance one from all rows."""
    found = distances**2 / 2
    found[~np.any(Q != 0, axis=1)] = 1.0
    return np.where(rows < 0, np.inf, found)
