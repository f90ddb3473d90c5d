"""Rows turned to their principal directions, of which the first tell most of their distances."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import available_threads, core
from mercer.data.arrays import as_core_data
from mercer.typing import Floats

__all__ = ["PrincipalDirections", "Rotation"]

# Directions are found from so many rows for each feature; where there are fewer in all, finding them would take longer
# than they save.
_ROWS_PER_FEATURE = 4
_LEAST_SAMPLE = 2000
# Products of fewer numbers are done by BLAS on one thread. Its others, once woken, go on in a busy loop for
# milliseconds, beside the threads that search.
_ON_ONE_THREAD = 1 << 18
# Of more features than this, so few rows would be multiplied at a time that all threads are quicker.
_MANY_FEATURES = 128
# Rounding to float32, and of float64.
_TO_FLOAT32 = 2.0**-23
_FLOAT64 = 2.0**-53


class Rotation(NamedTuple):
    """From rows to features that are searched: centred, turned, and scaled to norms of at most about one."""

    centre: Floats
    #: Of shape (features, directions); with no directions rows stay as they are.
    directions: Floats
    unit: float
    #: How far rounding may move a row.
    slack: float

    def to_single(self, rows: Any, threads: int) -> tuple[Any, Any]:
        """The features in float32, and the norms of what they leave of each row."""
        found: tuple[Any, Any] = core.turned_to_single(as_core_data(rows), *self._turn, threads)
        return found

    def with_remainders(self, rows: Any, threads: int) -> Any:
        """The features in float64, with the norms of what they leave as the last."""
        return core.turned_with_remainders(as_core_data(rows), *self._turn, threads)

    @property
    def _turn(self) -> tuple[Floats, float, Floats]:
        return self.centre, self.unit, self.directions


class PrincipalDirections:
    """Those of the largest spread first, from some of the rows; any orthogonal ones would do.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Finite.
    """

    def __init__(self, X: Any) -> None:
        self.X = X

    @property
    def are_worthwhile(self) -> bool:
        """Whether there are rows enough to find directions."""
        return len(self.X) >= _ROWS_PER_FEATURE * int(self.X.shape[1])

    @cached_property
    def told(self) -> Floats:
        """The share of the spread that the first direction tells, the first two, and so on."""
        spread = np.maximum(self._decomposed[0][::-1], 0.0)
        total = float(spread.sum())
        return np.cumsum(spread) / total if total > 0 else np.ones(len(spread))

    def first(self, share: float) -> int:
        """How many directions tell a share of the spread."""
        return min(int(np.searchsorted(self.told, share)) + 1, len(self.told))

    def rotation(self, kept: int | None, in_single: bool = False) -> Rotation:
        """To the first directions; None leaves rows unturned."""
        d = self.X.shape[1]
        slack = 4 * d * _FLOAT64 + 2 * _FLOAT64 * np.sqrt(d) * self.largest * self.unit
        if in_single:
            slack += _TO_FLOAT32
        directions = np.empty((d, 0))
        if kept is not None:
            turned = self._decomposed[1][:, ::-1]
            directions = np.ascontiguousarray(turned[:, :kept])
            # Directions are orthogonal but for rounding, and remainders are roots of differences.
            slack += float(np.linalg.norm(_gram(turned) - np.eye(d))) + np.sqrt(4 * d * _FLOAT64)
        return Rotation(self.centre, directions, self.unit, float(slack))

    @property
    def centre(self) -> Floats:
        """The mean of the rows."""
        return self._extent[0]

    @property
    def largest(self) -> float:
        """The size of the largest feature."""
        return self._extent[1]

    @cached_property
    def unit(self) -> float:
        """What makes of the largest distance from the centre one of at most about one."""
        squared = self._extent[2]
        # A power of two: multiplying by it rounds nothing.
        return float(2.0 ** -np.ceil(np.log2(np.sqrt(squared)))) if squared > 0 else 1.0

    @cached_property
    def _extent(self) -> tuple[Floats, float, float]:
        found: tuple[Floats, float, float] = core.extent_of(as_core_data(self.X), available_threads())
        return found

    @cached_property
    def _decomposed(self) -> Any:
        n, d = self.X.shape
        count = min(n, max(_LEAST_SAMPLE, _ROWS_PER_FEATURE * d))
        return np.linalg.eigh(_gram(self.X[np.linspace(0, n - 1, count, dtype=np.int64)] - self.centre))


def _gram(rows: Any) -> Any:
    """RᵀR."""
    n, d = rows.shape
    if d > _MANY_FEATURES:
        return rows.T @ rows
    step = max(1, _ON_ONE_THREAD // d**2)
    return sum(
        (rows[first : first + step].T @ rows[first : first + step] for first in range(0, n, step)), np.zeros((d, d))
    )
