"""Exact search among rows of few features in the core: a tree of boxes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer._runtime import available_threads, core
from mercer.data.arrays import as_core_data
from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Exactness, Nearest, Within, flags
from mercer.neighbours.panels import PanelIndex
from mercer.neighbours.parts import FittingSearch
from mercer.neighbours.rotation import PrincipalDirections, Rotation
from mercer.neighbours.search import Search
from mercer.typing import Floats, Integers

__all__ = ["TreeIndex"]


# What the directions that a tree of Euclidean distances has are to tell of the spread, and how many there are at most.
_TOLD = 0.8
_MOST_DIRECTIONS = 24
# Rows of a leaf at most and those of a panel, as the core has them.
_LEAF_ROWS, _LANES = 32, 8
# Rows of so few features stay as they are: turned, they would be settled one by one. More would have other last bits
# than those of rows that are.
_FEW_FEATURES = 8


class TreeIndex:
    """Dense rows, by a norm of their differences.

    By the Euclidean norm the tree has rows turned to their principal directions, the first of them and the norm of
    what these leave: a distance of such rows is no larger than that of the rows as they are, which settle it.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Finite, of float32 or float64, row-major.
    norm : {"manhattan", "euclidean", "chebyshev"}
    directions : PrincipalDirections, optional
        Those of X, where they are known.
    """

    def __init__(self, X: Any, norm: str, directions: PrincipalDirections | None = None) -> None:
        self.X, self._norm = X, core.Norm[norm]
        self._view = as_core_data(X)
        self._directions = PrincipalDirections(X) if directions is None else directions

    @property
    def plan(self) -> str:
        """How rows are searched, in a sentence."""
        if self._rotation is None:
            return f"A tree of boxes, {self._norm.name} distances in float64."
        kept, d = self.features - 1, self.X.shape[1]
        return f"A tree of boxes around the first {kept} of {d} principal directions, near rows in float64."

    @property
    def features(self) -> int:
        """Of the rows as the tree has them."""
        return int(self.X.shape[1] if self._rotation is None else self._rotation.directions.shape[1] + 1)

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """As that of `EuclideanIndex`."""
        rows, found, counts = self._core.nearest(*self._asked(Q, threads, excluded, forgotten), k, threads)
        shape = len(Q), k
        return Nearest(rows.view(np.int64).reshape(shape), self._distances(found).reshape(shape), Exactness(*counts))

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        begins, rows, found, counts = self._core.within(
            *self._asked(Q, threads, excluded, forgotten), float(radius), threads
        )
        return Within(begins.view(np.int64), rows.view(np.int64), self._distances(found), Exactness(*counts))

    @property
    def bytes(self) -> int:
        """Rows in panels, boxes around them, and as it is made two copies of the rows and their order."""
        n, d, leaves = len(self.X), self.features, 1
        while -(-n // leaves) > _LEAF_ROWS:
            leaves *= 2
        places = leaves * -(-max(1, -(-n // leaves)) // _LANES) * _LANES
        sides = -(-d // _LANES) * _LANES
        return places * 8 * (d + 1) + leaves * 16 * (2 * sides + 1) + n * 8 * (2 * d + 3)

    @property
    def bytes_per_query(self) -> int:
        return 8 * self.features + 8

    def fitted(self, room: float) -> Search:
        is_euclidean = self._norm is core.Norm.euclidean
        whole = EuclideanIndex(self.X, self._directions) if is_euclidean else PanelIndex(self.X, self._norm.name)
        return FittingSearch(self, lambda: whole.fitted(room), room)

    def _asked(self, Q: Any, threads: int, excluded: Integers | None, forgotten: Any) -> tuple[Any, Any, Any, Any]:
        left_out, gone = flags(excluded, forgotten)
        if self._rotation is None:
            return as_core_data(Q), left_out, gone, None
        # The first directions, and the norms of what these leave.
        places = self._rotation.with_remainders(Q, threads)
        # A query may lie farther out than any row.
        reach = max(1.0, float(np.sqrt(np.einsum("ij,ij->i", places, places).max(initial=0.0))))
        original = self._view, as_core_data(Q), self._rotation.unit, self._rotation.slack * (1 + reach)
        return as_core_data(places), left_out, gone, original

    def _distances(self, found: Floats) -> Floats:
        return np.sqrt(found) if self._norm is core.Norm.euclidean else found

    @cached_property
    def _core(self) -> core.KdTree:
        threads, rows = available_threads(), self._view
        if self._rotation is not None:
            rows = as_core_data(self._rotation.with_remainders(self.X, threads))
        return core.KdTree(rows, self._norm, threads)

    @cached_property
    def _rotation(self) -> Rotation | None:
        are_few = self.X.shape[1] <= _FEW_FEATURES
        if self._norm is not core.Norm.euclidean or are_few or not self._directions.are_worthwhile:
            return None
        return self._directions.rotation(min(self._directions.first(_TOLD), _MOST_DIRECTIONS))
