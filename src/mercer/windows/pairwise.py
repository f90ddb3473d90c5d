"""Windows of other distances, and kernels as windows: pair by pair, some queries at a time, in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np

from mercer.deadline import check_deadline
from mercer.errors import KernelError
from mercer.kernels import Kernel
from mercer.neighbours.units import largest_of
from mercer.typing import Floats, Integers
from mercer.windows.profiles import log_values
from mercer.windows.sums import EXACT, Tolerance, WindowSums

__all__ = ["DistanceWindows", "KernelWindows", "far_queries"]

# Pairs that are in memory at a time.
_AT_ONCE = 1 << 22
# What each of them takes: its distance, its logarithm, the window, and what is made on the way.
_BYTES = 48
# Squares of differences to larger numbers may be infinite.
_FAR = 1e150


def far_queries(Q: Any) -> Any:
    """Which queries are so far out that squares of their distances are no numbers; None where none is."""
    if largest_of(Q) <= _FAR:
        return None
    return np.abs(Q).max(axis=1) > _FAR


class _Pairwise:
    """Sums of windows whose logarithms are told for some queries at a time."""

    X: Any
    #: Bytes that may be in use at a time.
    room: float = np.inf

    def _logs(self, Q: Any, bandwidths: Floats) -> Iterator[Floats]:
        """log K of all queries and rows, one bandwidth after the other."""
        raise NotImplementedError

    def fitted(self, room: float) -> Self:
        limited = copy(self)
        limited.room = room
        return limited

    @property
    def _at_once(self) -> int:
        return int(min(_AT_ONCE, self.room // _BYTES))

    @property
    def _some(self) -> str:
        return "" if self._at_once == _AT_ONCE else f" No more than {max(self._at_once, len(self.X))} at a time."

    def sums(
        self,
        Q: Any,
        bandwidths: Floats,
        coef: Floats,
        threads: int,
        excluded: Integers | None = None,
        tolerance: Tolerance = EXACT,
    ) -> WindowSums:
        """As in `Windows`, exact whatever the tolerance."""
        values = np.empty((len(Q), len(bandwidths), len(coef)))
        logs = np.zeros(values.shape[:2])
        step = max(1, self._at_once // len(self.X))
        for first in range(0, len(Q), step):
            check_deadline()
            part = slice(first, first + step)
            for k, told in enumerate(self._logs(Q[part], bandwidths)):
                check_deadline()
                if excluded is not None:
                    own = np.flatnonzero(excluded[part] >= 0)
                    told[own, excluded[part][own]] = -np.inf
                top = told.max(axis=1, keepdims=True, initial=-np.inf)
                top[~np.isfinite(top)] = 0.0
                values[part, k] = np.exp(told - top) @ coef.T
                logs[part, k] = top[:, 0]
        return WindowSums(values, logs)


class DistanceWindows(_Pairwise):
    """Rows, how far queries are from them, and what they count at that.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
    distances : callable
        From queries and rows to a matrix.
    profile : str or callable
        Its name, or the logarithm of the window at distances in bandwidths.
    """

    def __init__(
        self, X: Any, distances: Callable[[Any, Any], Floats], profile: str | Callable[[Floats], Floats]
    ) -> None:
        self.X, self._distances = X, distances
        self._log_values = partial(log_values, profile) if isinstance(profile, str) else profile

    @property
    def plan(self) -> str:
        return f"All distances in float64.{self._some}"

    def _logs(self, Q: Any, bandwidths: Floats) -> Iterator[Floats]:
        apart = self._distances(Q, self.X)
        return (self._log_values(apart / h) for h in bandwidths)


class KernelWindows(_Pairwise):
    """Rows under a kernel; a bandwidth divides rows and queries.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
    kernel : Kernel
        Of which no value is below zero.
    """

    def __init__(self, X: Any, kernel: Kernel) -> None:
        self.X, self._kernel = X, kernel

    @property
    def plan(self) -> str:
        return f"All values of {self._kernel} in float64.{self._some}"

    def _logs(self, Q: Any, bandwidths: Floats) -> Iterator[Floats]:
        for h in bandwidths:
            values = np.array(self._kernel.matrix(np.ascontiguousarray(Q / h), np.ascontiguousarray(self.X / h)))
            if np.any(values < 0):
                raise KernelError(
                    f"{self._kernel} as a window: expected values ≥ 0, got {values.min():.3g}. Use a kernel of the "
                    "distance, as RBF or Laplacian."
                )
            yield np.log(values, out=np.full_like(values, -np.inf), where=values > 0)
