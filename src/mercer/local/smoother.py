"""Local fits around queries: which rows may be in the windows, and what the core makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer._runtime import core
from mercer.deadline import check_deadline
from mercer.local.windows import FixedWindows, NearestWindows, Windows, inverse_of_radius, reach_of
from mercer.neighbours import EuclideanIndex, Search
from mercer.plain_state import PlainState
from mercer.typing import Booleans, Floats, Integers

__all__ = ["LocalFits", "Smoother"]

# Windows that hold a smaller share of the rows are listed; beyond it all rows are summed for many queries at once.
_SHARE_TO_LIST = 0.25
# Rows that are listed at a time, of all queries.
_LISTED_AT_ONCE = 1 << 22
# What each of them takes, with its distance.
_BYTES = 48
# Queries that tell how many rows windows of a fixed width hold.
_SAMPLE = 64

# Rounding of a distance, as a share of it.
_EDGE = 1e-12

_RIDGED, _SINGLE, _EMPTY = 1, 2, 3
_NONE: Any = np.empty(0, dtype=np.int64)


class LocalFits(NamedTuple):
    """What local fits say at queries.

    Attributes
    ----------
    values : ndarray of shape (queries, targets)
        Predictions; NaN where a window is empty.
    inverse : ndarray of shape (queries,)
        What a row at the query that weighs one contributes to the prediction there.
    squares : ndarray of shape (queries,)
        Variances of the predictions, in units of that of a row that weighs one; empty where not asked for.
    states : ndarray of shape (queries,)
        How the systems were solved.
    """

    values: Floats
    inverse: Floats
    squares: Floats
    states: NDArray[np.uint8]

    @property
    def is_ridged(self) -> Booleans:
        """Where the rows of a window do not determine its polynomial, so that a ridge did."""
        return np.asarray((self.states == _RIDGED) | (self.states == _SINGLE))

    @property
    def is_single(self) -> Booleans:
        """Where one row at most weighs anything."""
        return np.asarray(self.states >= _SINGLE)

    @property
    def is_empty(self) -> Booleans:
        """Where no row is in the window."""
        return np.asarray(self.states == _EMPTY)

    def put(self, places: Integers, others: LocalFits) -> None:
        """Others in place of those at some queries."""
        self.values[places], self.inverse[places], self.states[places] = others.values, others.inverse, others.states
        if len(self.squares):
            self.squares[places] = others.squares

    def at(self, places: Any) -> LocalFits:
        """The same in another order."""
        squares = self.squares[places] if len(self.squares) else self.squares
        return LocalFits(self.values[places], self.inverse[places], squares, self.states[places])


@dataclass(frozen=True, eq=False, repr=False)
class Smoother(PlainState):
    """Rows with targets and weights, and the windows that are laid around queries.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        In float64.
    Y : ndarray of shape (rows, targets)
        In float64.
    weights : ndarray of shape (rows,)
        Inverse variances of the targets, all > 0.
    windows : NearestWindows or FixedWindows
        How wide windows are.
    kernel : str
        One of `KERNELS`.
    order : int
        Of the polynomials: 0, 1 or 2.
    ridge : float
        Systems whose least pivot is below this share of the diagonal have it added there.
    robustness : ndarray of shape (rows,), optional
        What rows weigh beside; they do not become more or less certain by it.
    room : float
        Bytes that may be used beside the rows.
    """

    X: Floats
    Y: Floats
    weights: Floats
    windows: Windows
    kernel: str
    order: int
    ridge: float
    robustness: Floats | None = None
    room: float = np.inf

    def with_robustness(self, robustness: Floats) -> Smoother:
        """The same with rows weighed down."""
        return replace(self, robustness=robustness)

    def fits(self, Q: Floats, threads: int, squares: bool = False) -> LocalFits:
        """Local fits around queries, rows of features in float64."""
        queries = np.ascontiguousarray(self.windows.scaled(Q) - self._origin)
        found = (
            self._line_fits(queries[:, 0], threads, squares)
            if self._is_line
            else self._cloud_fits(queries, threads, squares)
        )
        found = found._replace(values=found.values + self._level)
        edge = self._all_at_edge(queries, np.flatnonzero(found.is_single), threads)
        if len(edge):
            flat = replace(self, kernel="tophat").fits(Q[edge], threads, squares)
            found.put(edge, flat)
        return found

    def nearest_rows(self, Q: Floats, threads: int) -> Integers:
        """The nearest row of each query."""
        queries = np.ascontiguousarray(self.windows.scaled(Q) - self._origin)
        return self._index.nearest(queries, 1, threads).rows[:, 0]

    def equivalent_kernel(self, Q: Floats, threads: int) -> Floats:
        """What each row contributes to the prediction at each query, shape (queries, rows)."""
        queries = np.ascontiguousarray(self.windows.scaled(Q) - self._origin)
        radius = self._line_windows(queries[:, 0])[0] if self._is_line else self._radius(queries, threads)
        found = core.equivalent_kernels(
            rows=self._scaled,
            prior=self._prior,
            noise=self._noise,
            queries=queries,
            inverse_radius=self._inverse(radius),
            window=self.kernel,
            order=self.order,
            ridge=self.ridge,
            threads=threads,
        )
        edge = self._all_at_edge(queries, np.arange(len(queries)), threads)
        if len(edge):
            found[edge] = replace(self, kernel="tophat").equivalent_kernel(Q[edge], threads)
        return found

    def _all_at_edge(self, queries: Floats, some: Integers, threads: int) -> Integers:
        """Those of some queries whose neighbours are all equally far: none is within the window, so all weigh alike."""
        has_edge = isinstance(self.windows, NearestWindows) and self.kernel not in ("tophat", "gaussian")
        if not has_edge or len(some) == 0:
            return some[:0]
        assert isinstance(self.windows, NearestWindows)
        apart = self._index.nearest(np.ascontiguousarray(queries[some]), self.windows.k, threads).distances
        return some[(apart[:, -1] > 0) & (apart[:, 0] >= apart[:, -1] * (1 - _EDGE))]

    # ------------------------------------------------------ what is made of rows

    @cached_property
    def _origin(self) -> Floats:
        """Distances and targets far from zero lose digits: both are counted from the middle of the rows."""
        return np.asarray(self.windows.scaled(self.X[len(self.X) // 2]))

    @cached_property
    def _level(self) -> Floats:
        return np.asarray(np.median(self.Y, axis=0))

    @cached_property
    def _scaled(self) -> Floats:
        return np.ascontiguousarray(self.windows.scaled(self.X) - self._origin)

    @cached_property
    def _targets(self) -> Floats:
        return np.ascontiguousarray(self.Y - self._level)

    @cached_property
    def _prior(self) -> Floats:
        return self.weights if self.robustness is None else self.weights * self.robustness

    @cached_property
    def _noise(self) -> Floats:
        return 1 / self.weights

    @cached_property
    def _index(self) -> Search:
        return EuclideanIndex(self._scaled).fitted(self.room)

    @property
    def listed_at_once(self) -> int:
        """How many rows of windows are in memory at a time."""
        return int(min(_LISTED_AT_ONCE, self.room // _BYTES))

    @property
    def plan(self) -> str | None:
        """What the memory does not suffice for, where it does not."""
        if self._is_line or self.listed_at_once == _LISTED_AT_ONCE:
            return None
        return f"The rows of windows are listed {self.listed_at_once} at a time."

    @property
    def _is_line(self) -> bool:
        return bool(self.X.shape[1] == 1)

    @property
    def _options(self) -> dict[str, Any]:
        return {"window": self.kernel, "order": self.order, "ridge": self.ridge}

    def _inverse(self, radius: Floats) -> Floats:
        # Rows at the very edge of a flat window are in it, however distances are rounded.
        return inverse_of_radius(radius) * (1 - _EDGE if self.kernel == "tophat" else 1.0)

    # ------------------------------------------------------ one feature

    @cached_property
    def _sorted(self) -> tuple[Floats, Integers]:
        order = np.argsort(self._scaled[:, 0], kind="stable")
        return np.ascontiguousarray(self._scaled[order, 0]), order

    def _line_windows(self, queries: Floats) -> tuple[Floats, Integers, Integers]:
        """The radius of each window, and the run of rows that may be in it."""
        x, n = self._sorted[0], len(self._sorted[0])
        if isinstance(self.windows, FixedWindows):
            radius = np.full(len(queries), np.inf if self.windows.is_infinite else 1.0)
        else:
            k = self.windows.k
            first = np.searchsorted((x[: n - k] + x[k:]) / 2, queries)
            radius = np.maximum(queries - x[first], x[first + k - 1] - queries)
            # Beyond these rows are others at the radius itself, and beside rows at the query others may be there.
            is_whole = (radius > 0) & (self.kernel not in ("tophat", "gaussian"))
            if is_whole.all():
                return radius, first, first + k
        reach = radius * (reach_of(self.kernel) + _EDGE)
        return radius, np.searchsorted(x, queries - reach), np.searchsorted(x, queries + reach, side="right")

    def _line_fits(self, queries: Floats, threads: int, squares: bool) -> LocalFits:
        # Equal queries have equal fits.
        places, back = np.unique(queries, return_inverse=True)
        x, order = self._sorted
        radius, begins, ends = self._line_windows(places)
        columns = []
        for y in self._targets.T:
            check_deadline()
            values, inverse, variances, states = core.fit_line(
                x=x,
                y=y[order],
                prior=self._prior[order],
                noise=self._noise[order],
                queries=places,
                inverse_radius=self._inverse(radius),
                begins=begins,
                ends=ends,
                squares=squares,
                threads=threads,
                **self._options,
            )
            columns.append(values)
        return LocalFits(np.stack(columns, axis=1), inverse, variances, states).at(back)

    # ------------------------------------------------------ several features

    def _cloud_fits(self, queries: Floats, threads: int, squares: bool) -> LocalFits:
        parts = []
        for part, radius, begins, rows in self._parts(queries, threads):
            values, inverse, variances, states = core.fit_cloud(
                rows=self._scaled,
                targets=self._targets,
                prior=self._prior,
                noise=self._noise,
                queries=queries[part],
                inverse_radius=self._inverse(radius),
                begins=begins,
                list=rows,
                squares=squares,
                threads=threads,
                **self._options,
            )
            parts.append(LocalFits(values.reshape(-1, self.Y.shape[1]), inverse, variances, states))
        return LocalFits(*(np.concatenate(some) for some in zip(*parts, strict=True)))

    def _parts(self, queries: Floats, threads: int) -> Iterator[tuple[slice, Floats, Integers, Integers]]:
        """Some queries at a time: their radii, and the rows of their windows, none where all may be in them."""
        held = self._rows_held(queries, threads)
        if held is None:
            yield slice(None), self._radius(queries, threads), _NONE, _NONE
            return
        step = max(1, int(self.listed_at_once // max(1.0, held)))
        for first in range(0, len(queries), step):
            check_deadline()
            part = slice(first, min(len(queries), first + step))
            if isinstance(self.windows, NearestWindows):
                nearest = self._index.nearest(queries[part], self.windows.k, threads)
                begins = np.arange(0, nearest.rows.size + 1, self.windows.k)
                yield part, nearest.distances[:, -1], begins, nearest.rows.ravel()
            else:
                within = self._index.within(queries[part], 1.0, threads)
                yield part, np.ones(part.stop - first), within.begins, within.rows

    def _rows_held(self, queries: Floats, threads: int) -> float | None:
        """About how many rows a window holds; None where these are so many that they need not be looked for."""
        if self.kernel == "gaussian" or (isinstance(self.windows, FixedWindows) and self.windows.is_infinite):
            return None
        if isinstance(self.windows, NearestWindows):
            # A flat window holds all rows as far as the k-th, however many.
            held = float(self.windows.k) if self.kernel != "tophat" else np.inf
        else:
            some = queries[np.linspace(0, len(queries) - 1, min(_SAMPLE, len(queries)), dtype=np.int64)]
            held = len(self._index.within(some, 1.0, threads).rows) / len(some)
        return held if held < _SHARE_TO_LIST * len(self.X) else None

    def _radius(self, queries: Floats, threads: int) -> Floats:
        if isinstance(self.windows, FixedWindows):
            return np.full(len(queries), np.inf if self.windows.is_infinite else 1.0)
        return core.kth_distances(self._scaled, queries, self.windows.k, threads)
