"""Exact search by Euclidean distance in the core: rows rotated so that few directions rule out most of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer import costs
from mercer._runtime import available_threads, core
from mercer.data.arrays import as_core_data
from mercer.neighbours.found import Exactness, Nearest, Within, flags
from mercer.neighbours.parts import FittingSearch, RowParts
from mercer.neighbours.rotation import PrincipalDirections, Rotation
from mercer.neighbours.search import Search
from mercer.typing import Integers

__all__ = ["EuclideanIndex"]

# Rows of fewer features are searched as they are.
_FEW_FEATURES = 24
# What the directions of the first stage and of the second are to tell of the squared distances; a stage of more than
# this share of all directions saves nothing.
_STAGES = (0.9, 0.97)
_LARGEST_STAGE = 0.6


class EuclideanIndex:
    """Dense rows, made ready to be searched.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Finite, of float32 or float64, row-major.
    directions : PrincipalDirections, optional
        Those of X, where they are known.
    """

    def __init__(self, X: Any, directions: PrincipalDirections | None = None) -> None:
        self.X = X
        self._view = as_core_data(X)
        self._directions = PrincipalDirections(X) if directions is None else directions

    @property
    def plan(self) -> str:
        """How rows are searched, in a sentence."""
        stages, d = self._stages, self.X.shape[1]
        if stages == [d]:
            return f"All rows in float32 by all {d} features, and near ones in float64."
        first, *others = (str(stage) for stage in stages)
        then = f", then by {', '.join(others)}" if others else ""
        return f"All rows in float32 by the first {first} of {d} principal directions{then}; those left in float64."

    @property
    def seconds_per_row(self) -> float:
        """What looking at a row takes, without those that are not ruled out at once."""
        return costs.SCREENED_ROW_SECONDS + self._stages[0] * costs.SCREENED_FEATURE_SECONDS

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """The k nearest rows of each query.

        `excluded` has the number of a row that a query must not find, or −1; `forgotten` says of each row, by a byte,
        whether none must find it.
        """
        rows, squared, counts = self._core.nearest(**self._asked(Q, threads, excluded, forgotten), k=k)
        squared = squared.reshape(len(Q), k)
        return Nearest(rows.view(np.int64).reshape(len(Q), k), np.sqrt(squared), Exactness(*counts), squared)

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        """The rows no further than a radius from each query."""
        begins, rows, squared, counts = self._core.within(
            **self._asked(Q, threads, excluded, forgotten), radius=float(radius)
        )
        return Within(begins.view(np.int64), rows.view(np.int64), np.sqrt(squared), Exactness(*counts))

    def _asked(self, Q: Any, threads: int, excluded: Integers | None, forgotten: Any) -> dict[str, Any]:
        left_out, gone = flags(excluded, forgotten)
        features, remainders = self._rotation.to_single(Q, threads)
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
            "threads": threads,
        }

    # ---------------------------------------------------------------- memory

    @property
    def bytes(self) -> int:
        """Turned rows, those of the first stage again in panels, and norms."""
        kept, first = self._stages[-1], self._stages[0]
        return len(self.X) * (4 * (kept + 1) + 4 * (first + 2) + 8 + 4 * len(self._stages))

    @property
    def bytes_per_query(self) -> int:
        return 4 * (self._stages[-1] + 1)

    def fitted(self, room: float) -> Search:
        return FittingSearch(self, lambda: RowParts(self.X, self._of, room), room)

    def _of(self, rows: Any) -> EuclideanIndex:
        return EuclideanIndex(rows, self._directions)

    # ---------------------------------------------------------------- rotation

    @cached_property
    def _core(self) -> core.NeighbourIndex:
        return core.NeighbourIndex(*self._rotation.to_single(self.X, available_threads()), self._stages)

    @cached_property
    def _rotation(self) -> Rotation:
        kept = None if self._stages == [self.X.shape[1]] else self._stages[-1]
        return self._directions.rotation(kept, in_single=True)

    @cached_property
    def _stages(self) -> list[int]:
        """How many directions are looked at first, and how many of rows that these do not rule out."""
        d = self.X.shape[1]
        if d <= _FEW_FEATURES or not self._directions.are_worthwhile:
            return [d]
        wanted = dict.fromkeys(self._directions.first(share) for share in _STAGES)
        return [stage for stage in wanted if stage <= _LARGEST_STAGE * d] or [d]
