"""What is asked of windows: sums over rows, at one bandwidth or several, with the error that they may have."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from mercer.typing import Floats, Integers

__all__ = ["EXACT", "Tolerance", "WindowSums", "Windows"]


class Tolerance(NamedTuple):
    """How far sums of weights may be off: a number for each bandwidth, and a share of the sum."""

    absolute: Floats | None = None
    relative: float = 0.0


#: To rounding.
EXACT = Tolerance()


class WindowSums(NamedTuple):
    """Σ coef K of each query, bandwidth and output: `values` times e to the power of `logs`.

    `values` has shape (queries, bandwidths, outputs), `logs` (queries, bandwidths); `error` is the share by which a sum
    of weights is off at most, besides the absolute error that it may have. Far from all rows the sums may be
    smaller than any number; their logarithms, and the shares that outputs have in them, still are what they are.
    """

    values: Floats
    logs: Floats
    error: float = 0.0


class Windows(Protocol):
    """Rows that windows are put around."""

    @property
    def plan(self) -> str:
        """How sums are taken, in a sentence."""

    def sums(
        self,
        Q: Any,
        bandwidths: Floats,
        coef: Floats,
        threads: int,
        excluded: Integers | None = None,
        tolerance: Tolerance = EXACT,
    ) -> WindowSums:
        """Sums over the windows of queries.

        Parameters
        ----------
        Q : ndarray of shape (queries, features)
        bandwidths : ndarray of shape (bandwidths,)
            Descending.
        coef : ndarray of shape (outputs, rows)
            What rows count; those of the first output are weights ≥ 0.
        threads : int
        excluded : ndarray of shape (queries,), optional
            The row that does not count for a query, itself; −1 for none.
        tolerance : Tolerance
        """

    def fitted(self, room: float) -> Windows:
        """The same within so many bytes beside the rows."""


def logs_of(values: Floats) -> Floats:
    """Logarithms, −∞ of zero."""
    return np.log(values, out=np.full_like(values, -np.inf), where=values > 0)
