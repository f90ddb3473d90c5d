"""Vectors with twice the precision of float64: what is added to large numbers is not lost."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from mercer.rows import TwofoldGram
from mercer.typing import Floats

__all__ = ["Extended", "exact_product", "exact_sum", "extended_products", "rounded_sum"]

# 2^27 + 1 parts the 53 digits of float64 in the middle.
_SPLITTER = 134217729.0


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

    def plus_share(self, more: Extended, share: float) -> Extended:
        """The sum with a share of another."""
        part = more.times(np.full_like(more.high, share))
        return self.plus(part.high).plus(part.low)

    def times(self, factor: Floats) -> Extended:
        high, error = exact_product(self.high, factor)
        return Extended(*exact_sum(high, error + self.low * factor))

    def over(self, divisor: Floats) -> Extended:
        high = self.high / divisor
        product, error = exact_product(high, divisor)
        return Extended(high, (((self.high - product) - error) + self.low) / divisor)

    def total(self, signs: Floats | float = 1.0) -> float:
        """The sum of all, rounded once."""
        return rounded_sum(signs * self.high, signs * self.low)


def extended_products(gram: TwofoldGram, coef: Extended) -> tuple[Floats, Floats]:
    """Σ_j coef_j k(x_j, x_i) at every row, as high and low parts."""
    high, low = gram.products(coef.high)
    if coef.low.any():
        more, rest = gram.products(coef.low)
        high, error = exact_sum(high, more)
        low = low + error + rest
    return high, low


def exact_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum, and what rounding took from it."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def exact_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded product, and what rounding took from it."""
    product = a * b
    (ah, al), (bh, bl) = _halves(a), _halves(b)
    error = ((ah * bh - product) + ah * bl + al * bh) + al * bl
    return product, np.where(np.isfinite(error), error, 0.0)


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Numbers as sums of two with half of the digits each."""
    with np.errstate(over="ignore", invalid="ignore"):  # numbers near the largest have no halves
        spread = _SPLITTER * values
        high = spread - (spread - values)
    return high, values - high


def rounded_sum(*parts: Floats | float) -> float:
    """The sum of all numbers, rounded once; NaN where it is none."""
    numbers = [number for part in parts for number in np.ravel(part).tolist()]
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        return math.nan
