"""Exact search by Euclidean distance in the core: rows rotated so that few directions rule out most of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.data.arrays import as_core_data
from mercer.neighbours.found import Exactness, Nearest, Within, flags
from mercer.typing import Floats, Integers

__all__ = ["EuclideanIndex"]

# Rows of fewer features are searched as they are, and rows that are fewer than so many for each feature, too: finding
# directions would take longer than they save. Otherwise these are found from so many rows.
_FEW_FEATURES = 24
_ROWS_PER_FEATURE = 4
_LEAST_SAMPLE = 2000
# What the directions of the first stage and of the second are to tell of the squared distances; a stage of more than
# this share of all directions saves nothing.
_FIRST, _SECOND = 0.9, 0.97
_LARGEST_STAGE = 0.6
# Numbers that are rotated at a time.
_AT_ONCE = 1 << 24
# Rounding of a rotated row, as a share of the largest norm: to float32 of its features and of its remainder.
_TO_FLOAT32 = 2.0**-23
_FLOAT64 = 2.0**-53


class _Rotation(NamedTuple):
    """From rows to the features that are searched: centred, turned, and scaled to norms of at most about one."""

    centre: Floats
    directions: Floats | None
    unit: float
    stages: list[int]
    #: How far rounding may move a rotated row.
    slack: float


class EuclideanIndex:
    """Dense rows, made ready to be searched.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Finite, of float32 or float64, row-major.
    """

    def __init__(self, X: Any) -> None:
        self.X = X
        self._view = as_core_data(X)

    @property
    def plan(self) -> str:
        """How rows are searched, in a sentence."""
        stages, d = self._rotation.stages, self.X.shape[1]
        if stages == [d]:
            return f"All rows in float32 by all {d} features, and near ones in float64."
        first, *others = (str(stage) for stage in stages)
        then = f", then by {', '.join(others)}" if others else ""
        return f"All rows in float32 by the first {first} of {d} principal directions{then}; those left in float64."

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """The k nearest rows of each query.

        `excluded` has the number of a row that a query must not find, or −1; `forgotten` says of each row, by a byte,
        whether none must find it.
        """
        rows, squared, counts = self._core.nearest(**self._asked(Q, excluded, forgotten), k=k, threads=threads)
        squared = squared.reshape(len(Q), k)
        return Nearest(rows.view(np.int64).reshape(len(Q), k), np.sqrt(squared), Exactness(*counts), squared)

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        """The rows no further than a radius from each query."""
        begins, rows, squared, counts = self._core.within(
            **self._asked(Q, excluded, forgotten), radius=float(radius), threads=threads
        )
        return Within(begins.view(np.int64), rows.view(np.int64), np.sqrt(squared), Exactness(*counts))

    def _asked(self, Q: Any, excluded: Integers | None, forgotten: Any) -> dict[str, Any]:
        left_out, gone = flags(excluded, forgotten)
        features, remainders = self._rotated(Q)
        # A query may lie farther out than any row.
        reach = max(1.0, float(np.sqrt(np.einsum("ij,ij->i", features, features) + remainders**2).max(initial=0.0)))
        return {
            "rows": self._view,
            "queries": as_core_data(Q),
            "rotated": features,
            "remainders": remainders,
            "unit": self._rotation.unit,
            "slack": self._rotation.slack * (1 + reach),
            "excluded": left_out,
            "forgotten": gone,
        }

    # ---------------------------------------------------------------- rotation

    @cached_property
    def _core(self) -> core.NeighbourIndex:
        return core.NeighbourIndex(*self._rotated(self.X), self._rotation.stages)

    @cached_property
    def _rotation(self) -> _Rotation:
        d = self.X.shape[1]
        centre = self.X.mean(axis=0, dtype=np.float64)
        largest = float(np.abs(self.X).max(initial=0.0))
        norm = max((float(np.linalg.norm(block - centre, axis=1).max()) for block in _blocks(self.X)), default=0.0)
        # A power of two: multiplying by it rounds nothing.
        unit = float(2.0 ** -np.ceil(np.log2(norm))) if norm > 0 else 1.0
        directions, stages, skew = None, [d], 0.0
        if d > _FEW_FEATURES and len(self.X) >= _ROWS_PER_FEATURE * d:
            turned, told = _principal_directions(self.X, centre)
            stages = _stages(told)
            if stages != [d]:
                directions = np.ascontiguousarray(turned[:, : stages[-1]])
                skew = float(np.linalg.norm(turned.T @ turned - np.eye(d)))
        slack = _TO_FLOAT32 + skew + 4 * d * _FLOAT64 + np.sqrt(4 * d * _FLOAT64) * (directions is not None)
        slack += 2 * _FLOAT64 * np.sqrt(d) * largest * unit
        return _Rotation(centre, directions, unit, stages, float(slack))

    def _rotated(self, rows: Any) -> tuple[Any, Any]:
        """Features as they are searched, and the norms of what they leave."""
        rotation, features = self._rotation, []
        remainders = []
        for block in _blocks(rows):
            centred = (block - rotation.centre) * rotation.unit
            if rotation.directions is None:
                features.append(centred.astype(np.float32))
                remainders.append(np.zeros(len(centred), dtype=np.float32))
                continue
            turned = centred @ rotation.directions
            squared = np.einsum("ij,ij->i", centred, centred) - np.einsum("ij,ij->i", turned, turned)
            features.append(turned.astype(np.float32))
            remainders.append(np.sqrt(np.maximum(squared, 0.0)).astype(np.float32))
        if not features:
            return np.empty((0, rotation.stages[-1]), dtype=np.float32), np.empty(0, dtype=np.float32)
        return np.concatenate(features), np.concatenate(remainders)


def _blocks(rows: Any) -> Any:
    step = max(1, _AT_ONCE // max(1, rows.shape[1]))
    return (rows[first : first + step] for first in range(0, rows.shape[0], step))


def _principal_directions(X: Any, centre: Floats) -> tuple[Floats, Floats]:
    """Orthogonal directions, those of the largest spread first, and what each tells of it, from some of the rows."""
    n, d = X.shape
    count = min(n, max(_LEAST_SAMPLE, _ROWS_PER_FEATURE * d))
    some = X[np.linspace(0, n - 1, count, dtype=np.int64)] - centre
    spread, directions = np.linalg.eigh(some.T @ some)
    return directions[:, ::-1], np.maximum(spread[::-1], 0.0)


def _stages(told: Floats) -> list[int]:
    """How many directions are looked at first, and how many of rows that these do not rule out."""
    d, total = len(told), float(told.sum())
    if total == 0:
        return [d]
    share = np.cumsum(told) / total
    first, second = (int(np.searchsorted(share, wanted)) + 1 for wanted in (_FIRST, _SECOND))
    stages = [stage for stage in dict.fromkeys((first, second)) if stage <= _LARGEST_STAGE * d]
    return stages or [d]
