"""Kernel values of small problems in twice the precision of float64, as sums of a high and a low part.

Where coefficients are large or rows lie far from the origin, the sums Σ_j c_j k(x_j, x_i) cancel to a small part of
their terms, and float64 leaves nothing of it. Whoever judges or solves such a problem takes the sums from here.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from mercer._runtime import core, threads_worth
from mercer.data import is_sparse
from mercer.rows.rows import Subset
from mercer.typing import Floats

__all__ = ["TwofoldGram", "fits_twofold", "is_factored"]

# Both parts of the values, what is made of them, and a factor: in bytes for each pair of rows.
_BYTES_PER_VALUE = 48
#: More rows than these take minutes to factor as often as a solver must.
_MOST_ROWS = 3000
# Rows times squared columns of a factor in twice the precision: some tenths of a second.
_MOST_PRODUCTS = 15_000_000
# What a value may be off by, as a share of the largest, with a margin for sums of thousands.
_NOISE = 1e-29
# Sparse rows are laid out with the columns that occur in them.
_MOST_FEATURES = 20_000_000


class TwofoldGram:
    """The kernel matrix of some rows."""

    def __init__(self, high: Floats, low: Floats, threads: int) -> None:
        self.high, self.low, self.threads = high, low, threads

    @classmethod
    def of(cls, subset: Subset, threads: int | None = None) -> TwofoldGram:
        """The values among training rows."""
        workers = threads_worth(subset.size**2 * 8, threads)
        return cls(*subset.rows.twofold_values(subset.members, workers), workers)

    def __len__(self) -> int:
        return len(self.high)

    def products(self, coef: Floats) -> tuple[Floats, Floats]:
        """Σ_j coef_j k(x_j, x_i) for every row i, as high and low parts."""
        return core.twofold_products(self.high, self.low, coef, self.threads)

    @cached_property
    def centred(self) -> Floats:
        """The kernel matrix around the mean of the rows in feature space, rounded to float64."""
        return self._centred[0]

    @cached_property
    def factor(self) -> Floats | None:
        """Z with Z Zᵀ the centred matrix, accurate in its smallest columns; None where it would have too many."""
        return self._factored(*self._centred)

    @cached_property
    def _centred(self) -> tuple[Floats, Floats]:
        return core.centred_gram(self.high, self.low, self.threads)

    def shifted_factor(self, constant: float) -> Floats | None:
        """Z with Z Zᵀ the matrix itself plus a constant; None where it would have too many columns."""
        high = self.high + constant
        low = self.low + ((self.high - high) + constant if constant < 1 else (constant - high) + self.high)
        return self._factored(high, low)

    def _factored(self, high: Floats, low: Floats) -> Floats | None:
        largest = max(float(np.abs(self.high).max()), float(np.abs(high).max()))
        factor = core.pivoted_factor(high, low, _NOISE * largest, most_columns(len(self)))
        return factor if factor.shape[1] or not largest else None

    @cached_property
    def lift(self) -> Floats:
        """What centring took off: k_ij is the centred value plus lift_i + lift_j."""
        means = self.high.mean(axis=1)
        return np.asarray(means - 0.5 * means.mean())


def fits_twofold(subset: Subset, budget: int = 2**62) -> bool:
    """Whether the rows are few enough for all of this, within so many bytes."""
    count, X = subset.size, subset.rows.X
    if count > _MOST_ROWS or _BYTES_PER_VALUE * count**2 > budget:
        return False
    return not is_sparse(X) or count * min(X.shape[1], X.nnz) <= _MOST_FEATURES


def most_columns(rows: int) -> int:
    """Columns of a factor of so many rows that is still worth its time."""
    return int((_MOST_PRODUCTS / rows) ** 0.5)


def is_factored(rows: int, rank: int) -> bool:
    """Whether a matrix of so many rows and this rank has a factor."""
    return rank <= most_columns(rows)
