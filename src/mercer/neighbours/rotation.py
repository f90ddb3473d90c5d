"""Rows turned to their principal directions, of which the first tell most of their distances."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mercer.deadline import check_deadline
from mercer.typing import Floats

__all__ = ["PrincipalDirections", "Rotation"]

# Directions are found from so many rows for each feature; where there are fewer in all, finding them would take longer
# than they save.
_ROWS_PER_FEATURE = 4
_LEAST_SAMPLE = 2000
# Numbers that are turned at a time: few enough to be used again before memory is, enough for a product.
_AT_ONCE = 1 << 20
# Rounding to float32, and of float64.
_TO_FLOAT32 = 2.0**-23
_FLOAT64 = 2.0**-53


class Rotation(NamedTuple):
    """From rows to features that are searched: centred, turned, and scaled to norms of at most about one."""

    centre: Floats
    #: Of shape (features, directions); None leaves rows as they are.
    directions: Floats | None
    unit: float
    dtype: Any
    #: How far rounding may move a row.
    slack: float

    def of(self, rows: Any) -> tuple[Any, Any]:
        """The features, and the norms of what they leave of each row."""
        n, d = rows.shape
        kept = d if self.directions is None else self.directions.shape[1]
        features, remainders = np.empty((n, kept), dtype=self.dtype), np.zeros(n, dtype=self.dtype)
        for part in _parts(n, d):
            centred = (rows[part] - self.centre) * self.unit
            if self.directions is None:
                features[part] = centred
                continue
            turned = centred @ self.directions
            squared = np.einsum("ij,ij->i", centred, centred) - np.einsum("ij,ij->i", turned, turned)
            features[part] = turned
            remainders[part] = np.sqrt(np.maximum(squared, 0.0))
        return features, remainders


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

    def rotation(self, kept: int | None, dtype: Any) -> Rotation:
        """To the first directions; None leaves rows unturned."""
        d = self.X.shape[1]
        slack = 4 * d * _FLOAT64 + 2 * _FLOAT64 * np.sqrt(d) * self._largest * self.unit
        if dtype is np.float32:
            slack += _TO_FLOAT32
        directions = None
        if kept is not None:
            turned = self._decomposed[1][:, ::-1]
            directions = np.ascontiguousarray(turned[:, :kept])
            # Directions are orthogonal but for rounding, and remainders are roots of differences.
            slack += float(np.linalg.norm(turned.T @ turned - np.eye(d))) + np.sqrt(4 * d * _FLOAT64)
        return Rotation(self.centre, directions, self.unit, dtype, float(slack))

    @cached_property
    def centre(self) -> Floats:
        return np.asarray(self.X.mean(axis=0, dtype=np.float64))

    @cached_property
    def _largest(self) -> float:
        return float(max(self.X.max(initial=0.0), -self.X.min(initial=0.0)))

    @cached_property
    def unit(self) -> float:
        squared = 0.0
        for part in _parts(*self.X.shape):
            centred = self.X[part] - self.centre
            squared = max(squared, float(np.einsum("ij,ij->i", centred, centred).max()))
        # A power of two: multiplying by it rounds nothing.
        return float(2.0 ** -np.ceil(np.log2(np.sqrt(squared)))) if squared > 0 else 1.0

    @cached_property
    def _decomposed(self) -> Any:
        n, d = self.X.shape
        count = min(n, max(_LEAST_SAMPLE, _ROWS_PER_FEATURE * d))
        some = self.X[np.linspace(0, n - 1, count, dtype=np.int64)] - self.centre
        return np.linalg.eigh(some.T @ some)


def _parts(rows: int, features: int) -> Iterator[slice]:
    step = max(1, _AT_ONCE // max(1, features))
    for first in range(0, rows, step):
        check_deadline()
        yield slice(first, first + step)
