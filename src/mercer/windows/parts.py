"""Windows within some memory: a tree of all rows where it fits, of some at a time where it does not."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np

from mercer.deadline import check_deadline
from mercer.neighbours.parts import INDEX_SHARE, parts_of
from mercer.typing import Floats, Integers
from mercer.windows.sums import EXACT, Tolerance, Windows, WindowSums

__all__ = ["FittingWindows"]

# However little memory there is, so many rows and queries are looked at together: fewer would take far longer.
_LEAST_ROWS = 1024
_LEAST_QUERIES = 64


class PartedWindows(Windows, Protocol):
    """Windows that keep something of their rows."""

    X: Any

    @property
    def bytes(self) -> int:
        """What it takes, as it is made and after."""

    @property
    def bytes_per_query(self) -> int:
        """What is made of a query."""

    def of(self, part: slice) -> Windows:
        """Of some of the rows."""


class FittingWindows:
    """Windows of Euclidean distance that take no more than some memory beside the rows.

    Parameters
    ----------
    whole : PartedWindows
        Of all rows.
    room : float
        Bytes.
    """

    def __init__(self, whole: PartedWindows, room: float) -> None:
        self._whole, self._room = whole, room

    @property
    def plan(self) -> str:
        """How sums are taken, in a sentence."""
        if len(self._row_parts) == 1:
            return self._whole.plan
        return (
            f"{self._whole.plan} In {len(self._row_parts)} parts of the rows, one after the other: what is made of all "
            f"would take {self._whole.bytes / 1e6:.3g} MB, and does not fit."
        )

    def sums(
        self,
        Q: Any,
        bandwidths: Floats,
        coef: Floats,
        threads: int,
        excluded: Integers | None = None,
        tolerance: Tolerance = EXACT,
    ) -> WindowSums:
        """As in `Windows`; sums of parts are added up."""
        room = (1 - INDEX_SHARE) * self._room
        step = max(_LEAST_QUERIES, int(min(len(Q), room // self._whole.bytes_per_query)))
        query_parts, row_parts = list(parts_of(len(Q), step)), self._row_parts
        if len(query_parts) == len(row_parts) == 1:
            return self._whole.sums(Q, bandwidths, coef, threads, excluded, tolerance)
        if tolerance.absolute is not None:
            tolerance = tolerance._replace(absolute=tolerance.absolute / len(row_parts))
        values, logs = np.zeros((len(Q), len(bandwidths), len(coef))), np.full((len(Q), len(bandwidths)), -np.inf)
        error = 0.0
        for rows in row_parts:
            windows = self._whole if len(row_parts) == 1 else self._whole.of(rows)
            own_coef = coef if len(row_parts) == 1 else np.ascontiguousarray(coef[:, rows])
            for part in query_parts:
                check_deadline()
                own = None if excluded is None else excluded[part]
                if own is not None and len(row_parts) > 1:
                    own = np.where((own >= rows.start) & (own < rows.stop), own - rows.start, -1)
                found = windows.sums(Q[part], bandwidths, own_coef, threads, own, tolerance)
                added = _added(WindowSums(values[part], logs[part]), found)
                values[part], logs[part], error = added.values, added.logs, max(error, found.error)
        logs[np.isneginf(logs)] = 0.0
        return WindowSums(values, logs, error)

    def fitted(self, room: float) -> FittingWindows:
        return FittingWindows(self._whole, room)

    @cached_property
    def _row_parts(self) -> list[slice]:
        n, share = len(self._whole.X), min(1.0, INDEX_SHARE * self._room / self._whole.bytes)
        return list(parts_of(n, max(_LEAST_ROWS, int(n * share))))


def _added(one: WindowSums, other: WindowSums) -> WindowSums:
    """The sum of both, in units of the larger."""
    is_empty = np.all(other.values == 0, axis=2)
    others = np.where(is_empty, -np.inf, other.logs)
    logs = np.maximum(one.logs, others)
    unit = np.where(np.isneginf(logs), 0.0, logs)
    values = one.values * np.exp(one.logs - unit)[:, :, None] + other.values * np.exp(others - unit)[:, :, None]
    return WindowSums(values, logs)
