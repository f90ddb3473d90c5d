"""Search by the cosine distance: that of rows of length one is half their squared Euclidean distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Nearest, Within
from mercer.typing import Integers

__all__ = ["CosineIndex"]


class CosineIndex:
    """Dense rows, none of which is zero."""

    def __init__(self, X: Any) -> None:
        self._index = EuclideanIndex(_of_length_one(X))

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


def _of_length_one(X: Any) -> Any:
    X = np.asarray(X, dtype=np.float64)  # lengths of float32 would round away what tells near rows apart
    largest = np.abs(X).max(axis=1, keepdims=True)  # squares must not overflow
    scaled = np.divide(X, largest, out=np.zeros_like(X), where=largest > 0)
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.divide(scaled, norms, out=np.zeros_like(scaled), where=norms > 0)


def _cosine(distances: Any, rows: Any, Q: Any) -> Any:
    """A query that is zero has distance one from all rows."""
    found = distances**2 / 2
    found[~np.any(Q != 0, axis=1)] = 1.0
    return np.where(rows < 0, np.inf, found)
