"""A tree or all rows, whichever takes less: told by what the tree visits for some of the queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import costs
from mercer.neighbours.found import Nearest, Within
from mercer.neighbours.search import Search
from mercer.neighbours.tree import TreeIndex
from mercer.typing import Integers

__all__ = ["CheaperSearch"]

# Queries that the tree is tried with.
_TRIED = 32
# Rows of so few features are for the tree whatever it visits.
_FEW_FEATURES = 3


class CheaperSearch:
    """Both give the same answers; the choice rests on counts alone, so that it is the same every time.

    A tree is made once all rows have been looked at so often that making it would have taken no longer.

    Parameters
    ----------
    tree, whole : searches of the same rows
    seconds_per_row : float
        What looking at a row takes the other.
    """

    def __init__(self, tree: TreeIndex, whole: Search, seconds_per_row: float) -> None:
        self._tree, self._whole = tree, whole
        n, d = tree.X.shape
        self._seconds_of_whole = n * seconds_per_row
        self._seconds_per_visit = costs.TREE_ROW_SECONDS + d * costs.TREE_FEATURE_SECONDS
        self._seconds_left = n * max(1.0, np.log2(max(n, 2))) * costs.TREE_LEVEL_SECONDS
        self._is_tree_cheaper: bool | None = None

    @property
    def plan(self) -> str:
        if self._is_tree_cheaper is None:
            return f"{self._tree.plan} Or, where queries are few or this takes less: {self._whole.plan}"
        return self._tree.plan if self._is_tree_cheaper else self._whole.plan

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """As that of `EuclideanIndex`."""
        some = np.linspace(0, len(Q) - 1, min(len(Q), _TRIED), dtype=np.int64)
        search = self._choose(
            len(Q),
            lambda: (
                self._tree.nearest(
                    Q[some], k, threads, None if excluded is None else excluded[some], forgotten
                ).exactness.settled
                / max(1, len(some))
            ),
        )
        return search.nearest(Q, k, threads, excluded, forgotten)

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        some = np.linspace(0, len(Q) - 1, min(len(Q), _TRIED), dtype=np.int64)
        search = self._choose(
            len(Q),
            lambda: self._tree.within(Q[some], radius, threads, None, forgotten).exactness.settled / max(1, len(some)),
        )
        return search.within(Q, radius, threads, excluded, forgotten)

    def _choose(self, queries: int, visits: Any) -> Search:
        """`visits` tells how many rows the tree looks at for a query."""
        if self._is_tree_cheaper is None:
            self._seconds_left -= queries * self._seconds_of_whole
            if self._seconds_left > 0:
                return self._whole
            is_flat = self._tree.X.shape[1] <= _FEW_FEATURES
            self._is_tree_cheaper = is_flat or visits() * self._seconds_per_visit < self._seconds_of_whole
        return self._tree if self._is_tree_cheaper else self._whole
