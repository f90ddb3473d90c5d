"""Windows of Euclidean distance, summed by the core."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.deadline import check_deadline
from mercer.neighbours.own_units import in_own_units
from mercer.typing import Floats, Integers
from mercer.windows.bins import MOST_BITS, first_bits, make_bins
from mercer.windows.pairwise import DistanceWindows, far_queries
from mercer.windows.parts import FittingWindows
from mercer.windows.profiles import UNBOUNDED
from mercer.windows.sums import EXACT, Tolerance, WindowSums

__all__ = ["EuclideanWindows"]

# A sum that is a smaller share of the weights is near the end of float64: it is told from the nearest row instead.
_FAR_OUT = 1e-250
# Rows of a leaf, as the core has them.
_LEAF_ROWS = 64
# Times this, squared distances of rows that differ are beyond any window, and zero still is zero.
_LARGEST_FACTOR = 1e300
# From so many bandwidths and rows on bins of distances take less than sums for each.
_MANY_BANDWIDTHS, _MANY_ROWS = 8, 400
# Of all weights: beside such a row bins would have to reach too far.
_LEAST_WEIGHT = 1e-100
# Of the error that sums may have, the share that rows may have that are too far for any bin.
_LEFT_OUT = 0.05


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
        far = far_queries(Q)
        if far is not None:
            return self._with_far(Q, far, bandwidths, coef, threads, excluded, tolerance)
        if self._is_line and np.all(bandwidths > 0):
            return self._on_line(Q[:, 0], bandwidths, coef, threads, excluded)
        Q = Q - self._centre
        if len(bandwidths) > 1 and self.profile in UNBOUNDED:
            if self._has_many(bandwidths, coef) and tolerance.relative > 0:
                binned = self._binned(Q, bandwidths, coef, threads, excluded, tolerance.relative)
                if binned is not None:
                    return binned
            return self._from_nearest(Q, bandwidths, coef, threads, excluded, tolerance)
        values = self._summed(Q, bandwidths, coef, threads, excluded, tolerance, np.empty(0))
        logs = np.zeros(values.shape[:2])
        if self.profile in UNBOUNDED:
            far = np.flatnonzero(values[:, 0, 0] < _FAR_OUT * coef[0].sum())
            if len(far):
                away = None if excluded is None else excluded[far]
                exact = Tolerance(None, tolerance.relative)
                found = self._from_nearest(Q[far], bandwidths, coef, threads, away, exact)
                values[far], logs[far] = found.values, found.logs
        return WindowSums(values, logs, tolerance.relative)

    def _with_far(
        self, Q: Any, far: Any, bandwidths: Any, coef: Any, threads: int, excluded: Any, tolerance: Tolerance
    ) -> WindowSums:
        """Sums of queries some of which are too far out for squares of their distances to be numbers."""

        def distances(queries: Any, rows: Any) -> Floats:
            apart = in_own_units(queries, rows)
            return apart if self.spreads is None else apart / self.spreads

        values, logs = np.empty((len(Q), len(bandwidths), len(coef))), np.empty((len(Q), len(bandwidths)))
        error = 0.0
        for windows, part in ((self, ~far), (DistanceWindows(self.X, distances, self.profile), far)):
            away = None if excluded is None else excluded[part]
            found = windows.sums(Q[part], bandwidths, coef, threads, away, tolerance)
            values[part], logs[part], error = found.values, found.logs, max(error, found.error)
        return WindowSums(values, logs, error)

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

    def fitted(self, room: float) -> FittingWindows:
        return FittingWindows(self, room)

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
        return WindowSums(values, self._logs_at(nearest, bandwidths), tolerance.relative)

    def _logs_at(self, nearest: Floats, bandwidths: Floats) -> Floats:
        """Of windows at squared distances."""
        with np.errstate(over="ignore"):
            apart = np.sqrt(nearest)[:, None] / bandwidths
            return -0.5 * apart**2 if self.profile == "gaussian" else -apart

    def _has_many(self, bandwidths: Floats, coef: Floats) -> bool:
        return len(coef) == 1 and len(bandwidths) >= _MANY_BANDWIDTHS and len(self.X) >= _MANY_ROWS

    def _binned(
        self, Q: Any, bandwidths: Floats, coef: Floats, threads: int, excluded: Any, relative: float
    ) -> WindowSums | None:
        """Sums from bins of distances, as fine as it takes; None where that would be finer than is worth it."""
        rates = 0.5 * _factors(bandwidths) if self.profile == "gaussian" else 1 / bandwidths
        total = float(coef.sum())
        if not coef.min() > _LEAST_WEIGHT * total:
            return None
        # All rows that are left out are then a small share of what the nearest is at least.
        depth = math.log(total / float(coef.min()) / (_LEFT_OUT * relative))
        bits = first_bits(relative)
        while bits <= MOST_BITS:
            bins = make_bins(rates, bits, depth)
            sums, errors, nearest = self._rows.binned(
                Q,
                _numbers(excluded),
                self._scale,
                self.profile,
                float(_factors(bandwidths)[-1]),
                np.ascontiguousarray(coef),
                bins.origin,
                bits,
                bins.table,
                bins.seen,
                threads,
            )
            sums, errors = sums[:, : len(rates)], errors[:, : len(rates)] + bins.beyond * total
            error = float(np.max(errors / (sums - errors), initial=0.0))
            if error <= relative and np.all(errors < sums):
                return WindowSums(sums[:, :, None], self._logs_at(nearest, bandwidths), error)
            bits += 1
        return None

    def _summed(
        self, Q: Any, bandwidths: Any, coef: Any, threads: int, excluded: Any, tolerance: Tolerance, nearest: Any
    ) -> Floats:
        absolute = np.zeros(len(bandwidths)) if tolerance.absolute is None else tolerance.absolute
        if self.profile == "tophat":
            factors = np.array([_largest_square(float(h), self.is_closed) for h in bandwidths])
        else:
            factors = _factors(bandwidths)
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


def _factors(bandwidths: Floats) -> Floats:
    """Of squared distances; a window that is narrower than squares can tell holds equal rows alone."""
    with np.errstate(over="ignore", divide="ignore"):
        return np.minimum(bandwidths**-2.0, _LARGEST_FACTOR)


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
