"""Rows that are learnt and forgotten one after the other: an index, a tail of rows learnt since, and a mask of those
forgotten. Both are taken into a new index before they cost more than it does."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.data.arrays import core_ready, is_sparse, take_rows
from mercer.deadline import check_deadline
from mercer.kernels import Kernel
from mercer.neighbours.found import Exactness, Nearest, Within, nearest_of_all, within_of_all
from mercer.neighbours.metrics import search_by
from mercer.neighbours.search import Search
from mercer.plain_state import PlainState
from mercer.typing import Booleans, Integers

__all__ = ["Memory"]

NOTHING = Exactness(0, 0, 0)
# The index is made anew when the tail is longer than this share of it, as the tail's own is made with each row learnt,
# or when this share of its rows is forgotten, which are looked at in vain. A few rows cost nothing either way.
_LONGEST_TAIL = 1 / 64
_MOST_FORGOTTEN = 1 / 4
_FEW = 32


class Memory(PlainState):
    """Rows by their numbers: from 0 on in the order in which they were learnt, without those forgotten.

    Parameters
    ----------
    rows : {ndarray, CSR matrix}
        As `core_ready` returns them.
    metric, p, params, algorithm
        As `search_by` takes them.
    room : float
        Bytes that searches may take beside the rows.
    """

    def __init__(
        self,
        rows: Any,
        metric: Any,
        p: float,
        params: dict[str, Any],
        algorithm: str = "auto",
        room: float = np.inf,
    ) -> None:
        self.metric, self.p, self.params, self.algorithm, self.room = metric, p, params, algorithm, room
        self._indexed, self._tail = rows, rows[:0]
        #: Of each row, how many were learnt before it.
        self.born = np.arange(rows.shape[0])
        self.learnt = int(rows.shape[0])
        # Of each row of the index and of the tail; None where none is.
        self._forgotten: Any = None
        #: What the last search took, and its queries without neighbours.
        self.last, self.outliers = NOTHING, np.empty(0, dtype=np.int64)

    def of(self, rows: Any) -> Memory:
        """Other rows, by the same metric."""
        return Memory(core_ready(rows), self.metric, self.p, self.params, room=self.room)

    @property
    def size(self) -> int:
        return len(self.born)

    @property
    def is_sparse(self) -> bool:
        return is_sparse(self._indexed)

    @property
    def rows(self) -> Any:
        """Those that are not forgotten."""
        if self._tail.shape[0] == 0 and self._forgotten is None:
            return self._indexed
        return _stacked([take_rows(part, np.flatnonzero(kept)) for part, kept in self._parts()])

    @property
    def plan(self) -> str:
        told = self._index.plan
        if self._tail.shape[0]:
            told += f" The {self._tail.shape[0]} rows learnt last apart from the others."
        return told

    # ---------------------------------------------------------------- learning and forgetting

    def learn(self, rows: Any) -> None:
        """Appends rows."""
        count = int(rows.shape[0])
        self._tail = _stacked([self._tail, rows])
        if self._forgotten is not None:
            self._forgotten = np.concatenate([self._forgotten, np.zeros(count, dtype=np.uint8)])
        self.born = np.concatenate([self.born, self.learnt + np.arange(count)])
        self.learnt += count
        self._change()

    def forget(self, rows: Integers) -> None:
        """Forgets rows by their numbers; those that follow move up."""
        if self._forgotten is None:
            self._forgotten = np.zeros(self._indexed.shape[0] + self._tail.shape[0], dtype=np.uint8)
        self._forgotten[self._places(rows)] = 1
        self.born = np.delete(self.born, rows)
        self._change()

    def _change(self) -> None:
        """Forgets what was made of the tail, and makes the index anew where it is time."""
        for name in ("_tail_index", "_holes"):
            self.__dict__.pop(name, None)
        indexed = self._indexed.shape[0]
        holes = 0 if self._forgotten is None else int(np.count_nonzero(self._forgotten))
        is_time = (
            self._tail.shape[0] > max(_FEW, _LONGEST_TAIL * indexed)
            or holes > max(_FEW, _MOST_FORGOTTEN * indexed)
            or self._tail.dtype != self._indexed.dtype
            or isinstance(self.metric, Kernel)  # its parameters may follow from all rows
        )
        if is_time:
            self._indexed = core_ready(self.rows)
            self._tail, self._forgotten = self._indexed[:0], None
            for name in ("_index", "_tail_index", "_holes"):
                self.__dict__.pop(name, None)

    # ---------------------------------------------------------------- searching

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None) -> Nearest:
        """As of a search among the rows; of equal distances the lower number first."""
        check_deadline()
        asked = self._asked(excluded)
        found = [search.nearest(Q, k, threads, *left_out) for search, left_out in asked]
        if len(found) == 1:
            return found[0]._replace(rows=self._numbers(found[0].rows))
        together = nearest_of_all(found, [0, self._indexed.shape[0]], k)
        return together._replace(rows=self._numbers(together.rows))

    def within(self, Q: Any, radius: float, threads: int, excluded: Integers | None = None) -> Within:
        check_deadline()
        found = [search.within(Q, radius, threads, *left_out) for search, left_out in self._asked(excluded)]
        if len(found) == 1:
            return found[0]._replace(rows=self._numbers(found[0].rows))
        together = within_of_all(found, [0, self._indexed.shape[0]])
        return together._replace(rows=self._numbers(together.rows))

    def check(self) -> None:
        """Raises ParameterError where the metric is not one."""
        self._index  # noqa: B018

    @cached_property
    def _index(self) -> Search:
        return search_by(self.metric, self._indexed, self.p, self.params, self.algorithm).fitted(self.room)

    @cached_property
    def _tail_index(self) -> Search:
        return search_by(self.metric, self._tail, self.p, self.params, self.algorithm).fitted(self.room)

    def _asked(self, excluded: Integers | None) -> list[tuple[Search, tuple[Any, Any]]]:
        """The searches of the index and of the tail, each with what is left out of it."""
        indexed = self._indexed.shape[0]
        places = None if excluded is None else np.where(excluded < 0, -1, self._places(excluded))
        gone = self._forgotten
        if self._tail.shape[0] == 0:
            return [(self._index, (places, gone))]
        before = None if places is None else np.where(places < indexed, places, -1)
        after = None if places is None else np.maximum(places - indexed, -1)
        return [
            (self._index, (before, None if gone is None else gone[:indexed])),
            (self._tail_index, (after, None if gone is None else gone[indexed:])),
        ]

    # ---------------------------------------------------------------- numbers

    @cached_property
    def _holes(self) -> Integers:
        """Places in the index and the tail whose rows are forgotten."""
        return np.flatnonzero(self._forgotten)

    def _numbers(self, places: Integers) -> Integers:
        """From places in the index and the tail to numbers."""
        return places if self._forgotten is None else places - np.searchsorted(self._holes, places)

    def _places(self, numbers: Integers) -> Integers:
        return numbers if self._forgotten is None else np.flatnonzero(self._forgotten == 0)[numbers]

    def _parts(self) -> list[tuple[Any, Booleans]]:
        indexed, total = self._indexed.shape[0], self._indexed.shape[0] + self._tail.shape[0]
        kept = np.ones(total, dtype=bool) if self._forgotten is None else self._forgotten == 0
        return [(self._indexed, kept[:indexed]), (self._tail, kept[indexed:])]

    def __getstate__(self) -> dict[str, Any]:
        """Without what was made of the rows, which is made again, and what was asked since."""
        return {**super().__getstate__(), "last": NOTHING, "outliers": np.empty(0, dtype=np.int64)}


def _stacked(parts: list[Any]) -> Any:
    return core_ready(sp.vstack(parts, format="csr") if is_sparse(parts[0]) else np.concatenate(parts))
