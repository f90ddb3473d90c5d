"""Rows that a fit misses by far weigh less in the next."""

from __future__ import annotations

import numpy as np

from mercer.typing import Floats

__all__ = ["bisquare_weights"]

# Cleveland (1979): rows that are missed by more than six times the median weigh nothing.
_MEDIANS = 6.0


def bisquare_weights(residuals: Floats) -> Floats:
    """(1 − (r / 6 m)²)² with m the median of |r|; where that is zero, rows that are missed at all weigh nothing."""
    size = np.abs(residuals)
    median = np.median(size)
    share = np.minimum(size / (_MEDIANS * median), 1.0) if median > 0 else (size > 0).astype(np.float64)
    return np.asarray((1 - share**2) ** 2)
