"""Exact search among rows of few features in the core: a tree of boxes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer._runtime import available_threads, core
from mercer.data.arrays import as_core_data
from mercer.neighbours.found import Exactness, Nearest, Within, flags
from mercer.typing import Floats, Integers

__all__ = ["TreeIndex"]


class TreeIndex:
    """Dense rows, by a norm of their differences.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Finite, of float32 or float64, row-major.
    norm : {"manhattan", "euclidean", "chebyshev"}
    """

    def __init__(self, X: Any, norm: str) -> None:
        self.X, self._norm = X, core.Norm[norm]

    @property
    def plan(self) -> str:
        """How rows are searched, in a sentence."""
        return f"A tree of boxes, {self._norm.name} distances in float64."

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """As that of `EuclideanIndex`."""
        rows, found, counts = self._core.nearest(as_core_data(Q), *flags(excluded, forgotten), k=k, threads=threads)
        shape = len(Q), k
        return Nearest(rows.view(np.int64).reshape(shape), self._distances(found).reshape(shape), Exactness(*counts))

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        begins, rows, found, counts = self._core.within(
            as_core_data(Q), *flags(excluded, forgotten), radius=float(radius), threads=threads
        )
        return Within(begins.view(np.int64), rows.view(np.int64), self._distances(found), Exactness(*counts))

    def _distances(self, found: Floats) -> Floats:
        return np.sqrt(found) if self._norm is core.Norm.euclidean else found

    @cached_property
    def _core(self) -> core.KdTree:
        return core.KdTree(as_core_data(self.X), self._norm, available_threads())
