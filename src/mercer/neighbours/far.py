"""Queries so far out, or rows so large or small, that squares of their features leave the numbers there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.neighbours.all_distances import AllDistances
from mercer.neighbours.found import Nearest, Within, together
from mercer.neighbours.own_units import in_own_units
from mercer.neighbours.rotation import PrincipalDirections
from mercer.neighbours.search import Search
from mercer.neighbours.units import largest_of
from mercer.typing import Integers

__all__ = ["FarQueries"]

# In units of the farthest row: squares of float32 go a little farther.
_FAR = 1e15


class FarQueries:
    """A search, of which queries far beyond all rows are kept: these take all distances."""

    def __init__(self, near: Search, X: Any, directions: PrincipalDirections, room: float = np.inf) -> None:
        self.near, self._directions = near, directions
        self._far = AllDistances(X, in_own_units, "euclidean distances, each in units of its largest difference", room)

    @property
    def plan(self) -> str:
        return self.near.plan

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """As that of `EuclideanIndex`."""
        is_far = self._are_far(Q)
        if not is_far.any():
            return self.near.nearest(Q, k, threads, excluded, forgotten)
        rows, distances = np.empty((len(Q), k), dtype=np.int64), np.empty((len(Q), k))
        counts = []
        for search, part in ((self.near, ~is_far), (self._far, is_far)):
            found = search.nearest(Q[part], k, threads, None if excluded is None else excluded[part], forgotten)
            rows[part], distances[part] = found.rows, found.distances
            counts.append(found.exactness)
        return Nearest(rows, distances, together(counts))

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        is_far = self._are_far(Q)
        search = self._far if is_far.any() else self.near
        return search.within(Q, radius, threads, excluded, forgotten)

    def fitted(self, room: float) -> FarQueries:
        return FarQueries(self.near.fitted(room), self._far.X, self._directions, room)

    def _are_far(self, Q: Any) -> Any:
        limit = _FAR / self._directions.unit
        if largest_of(Q) + largest_of(self._directions.centre) <= limit:  # a look at each query takes longer
            return np.zeros(len(Q), dtype=bool)
        with np.errstate(over="ignore"):
            return np.abs(Q - self._directions.centre).max(axis=1, initial=0.0) > limit
