"""Vectors with twice the precision of float64: what is added to large numbers is not lost."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from mercer.typing import Floats

__all__ = ["Extended", "exact_sum", "rounded_sum"]


class Extended(NamedTuple):
    """high + low, with the low part below the last digit of the high one."""

    high: Floats
    low: Floats

    @classmethod
    def of(cls, values: Floats) -> Self:
        return cls(values, np.zeros_like(values))

    def plus(self, more: Floats) -> Extended:
        total, error = exact_sum(self.high, more)
        return Extended(*exact_sum(total, error + self.low))

    def total(self, signs: Floats | float = 1.0) -> float:
        """The sum of all, rounded once."""
        return rounded_sum(signs * self.high, signs * self.low)


def exact_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum, and what rounding took from it."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def rounded_sum(*parts: Floats | float) -> float:
    """The sum of all numbers, rounded once; NaN where it is none."""
    numbers = [number for part in parts for number in np.ravel(part).tolist()]
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        return math.nan
