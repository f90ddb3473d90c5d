"""Units in which squares of features are numbers, and far from zero: powers of two, which round nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import InputError

__all__ = ["check_size", "is_ordinary", "largest_of", "unit_of"]

# Squares of smaller and of larger numbers are rounded to zero, or are infinite.
_SMALLEST, _LARGEST = 1e-140, 1e140
# Powers of two that float64 has, and whose inverses it has.
_LARGEST_EXPONENT = 1000


def largest_of(X: Any) -> float:
    """The largest absolute value."""
    return float(max(X.max(initial=0.0), -X.min(initial=0.0)))


def is_ordinary(largest: float) -> bool:
    """Whether the squares of all features are numbers, and those of the largest far from zero."""
    return largest == 0 or _SMALLEST < largest < _LARGEST


def unit_of(largest: float) -> float:
    """What features are multiplied by: one, where the largest is ordinary."""
    if is_ordinary(largest):
        return 1.0
    return float(2.0 ** -np.clip(np.ceil(np.log2(largest)), -_LARGEST_EXPONENT, _LARGEST_EXPONENT))


def check_size(largest: float, unit: float) -> None:
    """Raises InputError for queries whose squares are no numbers in the unit of the training rows."""
    if largest * unit > _LARGEST:
        raise InputError(
            f"Expected queries whose features are at most {_LARGEST / unit:.3g}, as the training rows have much "
            f"smaller ones, got {largest:.3g}: its square is no number. Remove these rows."
        )
