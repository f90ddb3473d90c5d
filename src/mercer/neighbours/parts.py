"""Searches within some memory: an index is kept where it fits, and made of some rows at a time where it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from mercer.neighbours.found import (
    Nearest,
    Within,
    nearest_of_all,
    nearest_of_queries,
    within_of_all,
    within_of_queries,
)
from mercer.neighbours.search import Search
from mercer.typing import Integers

__all__ = ["FittingSearch", "Index", "RowParts", "numbers_in", "parts_of", "query_parts", "row_parts"]

#: What an index may take of the memory; the rest is for what is made of queries.
INDEX_SHARE = 0.75
# However little memory there is, so many rows and queries are looked at together: fewer would take far longer.
_LEAST_ROWS = 1024
_LEAST_QUERIES = 64


class Index(Search, Protocol):
    """A search that keeps something beside the rows."""

    @property
    def bytes(self) -> int:
        """What it takes, as it is made and after."""

    @property
    def bytes_per_query(self) -> int:
        """What is made of a query."""


def parts_of(count: int, step: int) -> Iterator[slice]:
    """Slices of so many each."""
    return (slice(first, min(count, first + step)) for first in range(0, max(count, 1), step))


def row_parts(count: int, room: float, whole: int) -> Iterator[slice]:
    """Rows whose index fits so many bytes, where that of all takes `whole`."""
    return parts_of(count, max(_LEAST_ROWS, int(count * min(1.0, INDEX_SHARE * room / whole))))


def query_parts(count: int, room: float, each: int) -> Iterator[slice]:
    """Queries that fit what an index leaves of so many bytes."""
    return parts_of(count, max(_LEAST_QUERIES, int(min(count, (1 - INDEX_SHARE) * room // max(1, each)))))


def numbers_in(part: slice, numbers: Integers) -> Integers:
    """Of rows, within a part of them; −1 of those that are not in it."""
    return np.where((numbers >= part.start) & (numbers < part.stop), numbers - part.start, -1)


class FittingSearch:
    """An index if it fits, another search if it does not; told when there is something to look for.

    Parameters
    ----------
    index : Index
    otherwise : callable
        Returns the search for where the index does not fit.
    room : float
        Bytes.
    """

    def __init__(self, index: Index, otherwise: Callable[[], Search], room: float) -> None:
        self._index, self._otherwise, self._room = index, otherwise, room

    @property
    def plan(self) -> str:
        if self._fits:
            return self._index.plan
        if isinstance(self._chosen, FittingSearch) and not self._chosen._fits:  # which says so already
            return self._chosen.plan
        megabytes = self._index.bytes / 1e6
        return f"{self._chosen.plan} What is made of all rows would take {megabytes:.3g} MB, and does not fit."

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        found = [
            self._chosen.nearest(Q[part], k, threads, None if excluded is None else excluded[part], forgotten)
            for part in self._parts(Q)
        ]
        return nearest_of_queries(found)

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        found = [
            self._chosen.within(Q[part], radius, threads, None if excluded is None else excluded[part], forgotten)
            for part in self._parts(Q)
        ]
        return within_of_queries(found)

    def fitted(self, room: float) -> Search:
        return self._index.fitted(room)

    def _parts(self, Q: Any) -> Iterator[slice]:
        if not self._fits:  # the other search sees to it
            return parts_of(Q.shape[0], max(1, Q.shape[0]))
        return query_parts(Q.shape[0], self._room, self._index.bytes_per_query)

    @cached_property
    def _fits(self) -> bool:
        return self._index.bytes <= INDEX_SHARE * self._room

    @cached_property
    def _chosen(self) -> Search:
        return self._index if self._fits else self._otherwise()


class RowParts:
    """Some rows after the others, each time anew.

    Parameters
    ----------
    X : {ndarray, CSR matrix}
        Rows.
    make : callable
        From some of the rows to an index of them.
    room : float
        Bytes.
    """

    def __init__(self, X: Any, make: Callable[[Any], Index], room: float) -> None:
        self.X, self._make, self._room = X, make, room

    @property
    def plan(self) -> str:
        parts = len(self.parts)
        return self._whole.plan if parts == 1 else f"{self._whole.plan} In {parts} parts of the rows, one by one."

    @property
    def parts(self) -> list[slice]:
        """Of the rows, as many as fit."""
        return list(row_parts(self.X.shape[0], self._room, self._whole.bytes))

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        found: Nearest | None = None
        for part in self.parts:
            own = self._search(part).nearest(Q, k, threads, *_left_out(part, excluded, forgotten))
            found = nearest_of_all([own], [part.start], k, found)
        assert found is not None
        return found

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        found = [
            self._search(part).within(Q, radius, threads, *_left_out(part, excluded, forgotten)) for part in self.parts
        ]
        return within_of_all(found, [part.start for part in self.parts])

    def fitted(self, room: float) -> Search:
        return RowParts(self.X, self._make, room)

    def _search(self, part: slice) -> Search:
        index = self._make(self.X[part])
        return FittingSearch(index, lambda: index, self._room)

    @cached_property
    def _whole(self) -> Index:
        return self._make(self.X)


def _left_out(part: slice, excluded: Integers | None, forgotten: Any) -> tuple[Integers | None, Any]:
    """What some of the rows are not to be found by, and which of them by nobody."""
    own = None if excluded is None else numbers_in(part, excluded)
    return own, None if forgotten is None else forgotten[part]
