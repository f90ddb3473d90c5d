"""Windows of Euclidean distance, summed by the core."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.deadline import check_deadline
from mercer.typing import Floats, Integers
from mercer.windows.profiles import UNBOUNDED
from mercer.windows.sums import EXACT, Tolerance, WindowSums

__all__ = ["EuclideanWindows"]

# A sum that is a smaller share of the weights is near the end of float64: it is told from the nearest row instead.
_FAR_OUT = 1e-250
# Rows of a leaf, as the core has them.
_LEAF_ROWS = 64


class EuclideanWindows:
    """Dense rows, made ready to have windows around them.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Finite, in float64.
    profile : str
        One of `PROFILES`.
    is_closed : bool
        Whether a top hat counts rows at its edge.
    spreads : ndarray of shape (rows,), optional
        What the bandwidth of each row is a multiple of; ones where not given.
    """

    def __init__(self, X: Any, profile: str, is_closed: bool = False, spreads: Floats | None = None) -> None:
        self.X, self.profile, self.is_closed, self.spreads = X, profile, is_closed, spreads

    @property
    def plan(self) -> str:
        """How sums are taken, in a sentence."""
        if self._is_line:
            return "Sums from both ends of the cells of a line: the time does not depend on the bandwidth."
        return "A tree of boxes: those that count alike, or less than the last bit, as a whole, others row by row."

    def sums(
        self,
        Q: Any,
        bandwidths: Floats,
        coef: Floats,
        threads: int,
        excluded: Integers | None = None,
        tolerance: Tolerance = EXACT,
    ) -> WindowSums:
        """As in `Windows`."""
        Q = np.ascontiguousarray(Q, dtype=np.float64)
        if self._is_line and np.all(bandwidths > 0):
            return self._on_line(Q[:, 0], bandwidths, coef, threads, excluded)
        Q = Q - self._centre
        if len(bandwidths) > 1 and self.profile in UNBOUNDED:
            return self._from_nearest(Q, bandwidths, coef, threads, excluded, tolerance)
        values = self._summed(Q, bandwidths, coef, threads, excluded, tolerance, np.empty(0))
        logs = np.zeros(values.shape[:2])
        if self.profile in UNBOUNDED:
            far = np.flatnonzero(values[:, 0, 0] < _FAR_OUT * coef[0].sum())
            if len(far):
                away = None if excluded is None else excluded[far]
                exact = Tolerance(None, tolerance.relative)
                values[far], logs[far] = self._from_nearest(Q[far], bandwidths, coef, threads, away, exact)
        return WindowSums(values, logs)

    @property
    def bytes(self) -> int:
        """Rows in the order of a tree and in panels, boxes, norms, a copy as it is made; or the order of a line."""
        n, d = self.X.shape
        if self._is_line:
            return int(40 * n)
        return int(n * (24 * d + 56) + (n // _LEAF_ROWS + 1) * 2 * (16 * d + 40))

    @property
    def bytes_per_query(self) -> int:
        return int(24 * self.X.shape[1] + 40)

    def of(self, part: slice) -> EuclideanWindows:
        """Of some of the rows."""
        spreads = None if self.spreads is None else self.spreads[part]
        return EuclideanWindows(self.X[part], self.profile, self.is_closed, spreads)

    def _from_nearest(
        self, Q: Any, bandwidths: Any, coef: Any, threads: int, excluded: Any, tolerance: Tolerance
    ) -> WindowSums:
        """Sums as shares of the window at the nearest row."""
        nearest = self._rows.nearest(Q, _numbers(excluded), self._scale, threads)
        # An absolute error is of the sums themselves, which are smaller.
        exact = Tolerance(None, tolerance.relative)
        values = self._summed(Q, bandwidths, coef, threads, excluded, exact, nearest)
        apart = np.sqrt(nearest)[:, None] / bandwidths
        return WindowSums(values, -0.5 * apart**2 if self.profile == "gaussian" else -apart)

    def _summed(
        self, Q: Any, bandwidths: Any, coef: Any, threads: int, excluded: Any, tolerance: Tolerance, nearest: Any
    ) -> Floats:
        absolute = np.zeros(len(bandwidths)) if tolerance.absolute is None else tolerance.absolute
        if self.profile == "tophat":
            factors = np.array([_largest_square(float(h), self.is_closed) for h in bandwidths])
        else:
            factors = bandwidths**-2.0
        return self._rows.sums(
            Q,
            _numbers(excluded),
            self._scale,
            self.profile,
            factors,
            np.ascontiguousarray(coef),
            nearest,
            absolute,
            tolerance.relative,
            threads,
        )

    # ---------------------------------------------------------------- one dimension

    @property
    def _is_line(self) -> bool:
        return self.X.shape[1] == 1 and self.spreads is None and self.profile != "gaussian"

    @cached_property
    def _order(self) -> Integers:
        return np.argsort(self.X[:, 0], kind="stable")

    @cached_property
    def _places(self) -> Integers:
        places = np.empty(len(self._order), dtype=np.int64)
        places[self._order] = np.arange(len(places))
        return places

    def _on_line(self, q: Any, bandwidths: Any, coef: Any, threads: int, excluded: Any) -> WindowSums:
        rows, ordered = self.X[self._order, 0], np.ascontiguousarray(coef[:, self._order])
        places = _numbers(excluded)
        if len(places):
            places = np.where(places < 0, -1, self._places[places])
        values = np.empty((len(q), len(bandwidths), len(coef)))
        logs = np.empty(values.shape[:2])
        q = np.ascontiguousarray(q)
        for k, h in enumerate(bandwidths):
            check_deadline()
            values[:, k], nearest = core.window_sums_on_line(
                rows, ordered, q, places, self.profile, float(h), self.is_closed, threads
            )
            logs[:, k] = -nearest
        return WindowSums(values, logs)

    # ---------------------------------------------------------------- rows

    @cached_property
    def _centre(self) -> Any:
        """Products cancel less around the middle; the edge of a top hat must not be moved by rounding."""
        if self.profile == "tophat":
            return np.zeros(self.X.shape[1])
        return self.X.mean(axis=0)

    @cached_property
    def _rows(self) -> core.WindowRows:
        return core.WindowRows(np.ascontiguousarray(self.X - self._centre))

    @cached_property
    def _scale(self) -> Floats:
        return np.ones(len(self.X)) if self.spreads is None else self.spreads**-2.0


def _numbers(excluded: Integers | None) -> Any:
    return np.empty(0, dtype=np.int64) if excluded is None else np.ascontiguousarray(excluded, dtype=np.int64)


def _largest_square(h: float, is_closed: bool) -> float:
    """The largest squared distance whose root is less than h, or no more; −1 where there is none."""

    def counts(squared: float) -> bool:
        root = math.sqrt(squared)
        return root <= h if is_closed else root < h

    if not counts(0.0):
        return -1.0
    squared = h * h
    while not counts(squared):
        squared = math.nextafter(squared, 0.0)
    while counts(math.nextafter(squared, math.inf)):
        squared = math.nextafter(squared, math.inf)
    return squared
