"""How wide the window around a query is: as wide as its neighbours need, or the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Floats

__all__ = ["KERNELS", "FixedWindows", "NearestWindows", "Windows", "inverse_of_radius", "neighbours_of_share"]

#: Functions of the distance in units of the radius; all but the last are zero beyond one.
KERNELS = ("tophat", "triangular", "epanechnikov", "biweight", "triweight", "tricube", "gaussian")
# Beyond this a Gaussian is zero in float64.
_END_OF_GAUSSIAN = 38.7
# The inverse of a radius of zero: only rows at the query itself are within, and its square is finite.
_NO_RADIUS = 1e150
# k neighbours are a share of the rows, rounded down; shares such as 0.3 are not exact in float64.
_ROUNDING_OF_SHARE = 1e-10


@dataclass(frozen=True)
class NearestWindows:
    """Windows that reach the k-th nearest row; rows at that very distance weigh nothing but with "tophat"."""

    k: int

    def scaled(self, X: Floats) -> Floats:
        """Features in the units that distances are measured in."""
        return X

    def __str__(self) -> str:
        return f"windows that reach {self.k} neighbours"


@dataclass(frozen=True)
class FixedWindows:
    """Windows of one width, or of one for each feature; infinite ones take all rows alike."""

    bandwidth: float | tuple[float, ...]

    @property
    def is_infinite(self) -> bool:
        return self.bandwidth == np.inf

    def scaled(self, X: Floats) -> Floats:
        """Features in units of the bandwidth."""
        return X if self.is_infinite else X / np.asarray(self.bandwidth)

    def __str__(self) -> str:
        return f"windows of bandwidth {self.bandwidth}"


Windows = NearestWindows | FixedWindows


def reach_of(kernel: str) -> float:
    """How far, in radii, rows weigh something."""
    return _END_OF_GAUSSIAN if kernel == "gaussian" else 1.0


def inverse_of_radius(radius: Floats) -> Floats:
    """1 / radius, finite; of windows that have shrunk to a point, so large that only rows at it are within."""
    with np.errstate(divide="ignore"):
        return np.minimum(1 / radius, _NO_RADIUS)


def neighbours_of_share(share: float, rows: int) -> int:
    """How many neighbours a share of the rows is, as in statsmodels: two at least, where there are two."""
    return min(rows, max(2, int(share * rows + _ROUNDING_OF_SHARE)))
