"""A tree or all rows, whichever takes less: told by what the tree visits for some of the queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from mercer import costs
from mercer.neighbours.found import Exactness, Nearest, Within
from mercer.neighbours.parts import FittingSearch, Index
from mercer.neighbours.search import Search
from mercer.neighbours.tree import TreeIndex
from mercer.typing import Integers

__all__ = ["CheaperSearch"]

# Queries that the tree is tried with.
_TRIED = 32


class CheaperSearch:
    """Both give the same answers; the choice rests on counts alone, so that it is the same every time.

    A tree is made once all rows have been looked at so often that making it would have taken no longer.

    Parameters
    ----------
    tree, whole : searches of the same rows
    seconds_per_row : callable
        Tells what looking at a row takes the other; asked once there is something to look for.
    """

    def __init__(self, tree: TreeIndex, whole: Index, seconds_per_row: Callable[[], float]) -> None:
        self._tree, self._whole = tree, whole
        self._seconds_per_row = seconds_per_row
        n = len(tree.X)
        self._seconds_left = n * max(1.0, np.log2(max(n, 2))) * costs.TREE_LEVEL_SECONDS
        self._is_tree_cheaper: bool | None = None

    @property
    def plan(self) -> str:
        if self._is_tree_cheaper is None:
            return f"{self._tree.plan} Or, where queries are few or this takes less: {self._whole.plan}"
        return self._tree.plan if self._is_tree_cheaper else self._whole.plan

    @property
    def bytes(self) -> int:
        """Of both, as each may be kept."""
        return self._tree.bytes + self._whole.bytes

    @property
    def bytes_per_query(self) -> int:
        return self._tree.bytes_per_query

    def fitted(self, room: float) -> Search:
        return FittingSearch(self, lambda: self._whole.fitted(room), room)

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """As that of `EuclideanIndex`."""

        def tried(some: Integers) -> Nearest:
            return self._tree.nearest(Q[some], k, threads, None if excluded is None else excluded[some], forgotten)

        return self._chosen(len(Q), tried).nearest(Q, k, threads, excluded, forgotten)

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        def tried(some: Integers) -> Within:
            return self._tree.within(Q[some], radius, threads, None, forgotten)

        return self._chosen(len(Q), tried).within(Q, radius, threads, excluded, forgotten)

    @cached_property
    def _seconds_of_whole(self) -> float:
        return len(self._tree.X) * self._seconds_per_row()

    def _chosen(self, queries: int, tried: Callable[[Integers], Nearest | Within]) -> Search:
        if self._is_tree_cheaper is None:
            self._seconds_left -= queries * self._seconds_of_whole
            if self._seconds_left > 0:
                return self._whole
            some = np.linspace(0, queries - 1, min(queries, _TRIED), dtype=np.int64)
            self._is_tree_cheaper = self._seconds(tried(some).exactness, len(some)) < self._seconds_of_whole
        return self._tree if self._is_tree_cheaper else self._whole

    def _seconds(self, found: Exactness, queries: int) -> float:
        """What the tree takes for a query."""
        visit = costs.TREE_ROW_SECONDS + self._tree.features * costs.TREE_FEATURE_SECONDS
        settle = costs.SETTLED_ROW_SECONDS + self._tree.X.shape[1] * costs.SETTLED_FEATURE_SECONDS
        return float(found.screened * visit + found.settled * settle) / max(1, queries)
