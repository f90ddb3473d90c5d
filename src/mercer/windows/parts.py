"""Windows within some memory: a tree of all rows where it fits, of some at a time where it does not."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np

from mercer.deadline import check_deadline
from mercer.neighbours.parts import numbers_in, query_parts, row_parts
from mercer.typing import Floats, Integers
from mercer.windows.sums import EXACT, Tolerance, Windows, WindowSums

__all__ = ["FittingWindows"]


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
        of_queries, of_rows = list(query_parts(len(Q), self._room, self._whole.bytes_per_query)), self._row_parts
        if len(of_queries) == len(of_rows) == 1:
            return self._whole.sums(Q, bandwidths, coef, threads, excluded, tolerance)
        if tolerance.absolute is not None:
            tolerance = tolerance._replace(absolute=tolerance.absolute / len(of_rows))
        values, logs = np.zeros((len(Q), len(bandwidths), len(coef))), np.full((len(Q), len(bandwidths)), -np.inf)
        error = 0.0
        for rows in of_rows:
            windows = self._whole if len(of_rows) == 1 else self._whole.of(rows)
            own_coef = coef if len(of_rows) == 1 else np.ascontiguousarray(coef[:, rows])
            for part in of_queries:
                check_deadline()
                own = None if excluded is None else excluded[part]
                if own is not None and len(of_rows) > 1:
                    own = numbers_in(rows, own)
                found = windows.sums(Q[part], bandwidths, own_coef, threads, own, tolerance)
                added = _added(WindowSums(values[part], logs[part]), found)
                values[part], logs[part], error = added.values, added.logs, max(error, found.error)
        logs[np.isneginf(logs)] = 0.0
        return WindowSums(values, logs, error)

    def fitted(self, room: float) -> FittingWindows:
        return FittingWindows(self._whole, room)

    @cached_property
    def _row_parts(self) -> list[slice]:
        return list(row_parts(len(self._whole.X), self._room, self._whole.bytes))


def _added(one: WindowSums, other: WindowSums) -> WindowSums:
    """The sum of both, in units of the larger."""
    is_empty = np.all(other.values == 0, axis=2)
    others = np.where(is_empty, -np.inf, other.logs)
    logs = np.maximum(one.logs, others)
    unit = np.where(np.isneginf(logs), 0.0, logs)
    values = one.values * np.exp(one.logs - unit)[:, :, None] + other.values * np.exp(others - unit)[:, :, None]
    return WindowSums(values, logs)
