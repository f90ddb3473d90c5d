"""Exact search among all rows in the core, by norms of differences in float64."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer import costs
from mercer._runtime import available_threads, core
from mercer.data.arrays import as_core_data
from mercer.neighbours.found import Exactness, Nearest, Within, flags
from mercer.neighbours.parts import FittingSearch, RowParts
from mercer.neighbours.search import Search
from mercer.typing import Floats, Integers

__all__ = ["PanelIndex"]


class PanelIndex:
    """Dense rows, by a norm of their differences.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Of float32 or float64, row-major.
    norm : {"manhattan", "euclidean", "chebyshev"}
    """

    def __init__(self, X: Any, norm: str) -> None:
        self.X, self._norm = X, core.Norm[norm]

    @property
    def plan(self) -> str:
        return f"All rows, {self._norm.name} distances in float64."

    @property
    def seconds_per_row(self) -> float:
        """What looking at a row takes."""
        return costs.PANEL_ROW_SECONDS + int(self.X.shape[1]) * costs.PANEL_FEATURE_SECONDS

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """As that of `EuclideanIndex`."""
        rows, found, counts = self._core.nearest(as_core_data(Q), *flags(excluded, forgotten), k, threads)
        shape = len(Q), k
        return Nearest(rows.view(np.int64).reshape(shape), self._distances(found).reshape(shape), Exactness(*counts))

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        begins, rows, found, counts = self._core.within(
            as_core_data(Q), *flags(excluded, forgotten), float(radius), threads
        )
        return Within(begins.view(np.int64), rows.view(np.int64), self._distances(found), Exactness(*counts))

    @property
    def bytes(self) -> int:
        """Rows in float64, in panels."""
        return int(8 * self.X.shape[0] * self.X.shape[1])

    @property
    def bytes_per_query(self) -> int:
        return int(8 * self.X.shape[1])

    def fitted(self, room: float) -> Search:
        return FittingSearch(self, lambda: RowParts(self.X, lambda X: PanelIndex(X, self._norm.name), room), room)

    def _distances(self, found: Floats) -> Floats:
        return np.sqrt(found) if self._norm is core.Norm.euclidean else found

    @cached_property
    def _core(self) -> core.PanelIndex:
        return core.PanelIndex(as_core_data(self.X), self._norm, available_threads())
