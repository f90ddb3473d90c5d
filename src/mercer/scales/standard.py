"""Features of one spread, so that their scales can be compared."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mercer.typing import Booleans, Floats

__all__ = ["Standard"]


class Standard(NamedTuple):
    """The means of features and their standard deviations; zero where one has a single value, up to rounding."""

    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, X: Any) -> Standard:
        """Of numbers of any size that float64 holds."""
        X = np.asarray(X, dtype=np.float64)
        largest = np.abs(X).max(axis=0)
        unit = np.where(largest > 0, largest, 1.0)
        shares = X / unit
        mean, spread = shares.mean(axis=0), shares.std(axis=0)
        # Of equal numbers the mean is off by the rounding of their sum.
        is_constant = (spread <= len(X) * np.finfo(np.float64).eps) | (np.ptp(X / 2, axis=0) == 0)
        with np.errstate(divide="ignore", over="ignore"):
            is_constant |= ~np.isfinite(1 / (spread * unit))  # what cannot be divided by cannot be told from zero
        return cls(mean * unit, np.where(is_constant, 0.0, spread * unit))

    @property
    def varies(self) -> Booleans:
        """Which features have more than one value."""
        return np.asarray(self.spread > 0)

    def applied(self, X: Any) -> Floats:
        """The features that vary, with mean 0 and variance 1 on the rows that this is of."""
        kept = self.varies
        # Halves, as the difference of two numbers may be too large to hold.
        halves = np.asarray(X, dtype=np.float64)[:, kept] / 2 - self.mean[kept] / 2
        return np.asarray(halves / (self.spread[kept] / 2))
