"""One axis: where a value lies on it, and the values that are written beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from mercer.report.digits import number, power

__all__ = ["Axis"]

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Axis:
    """An axis from its least to its largest value, with some ticks.

    Examples
    --------
    >>> Axis("share", 0.0, 1.0).ticks
    ((0.0, '0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1'))
    """

    title: str
    low: float
    high: float
    is_log: bool = False
    n_ticks: int = 6

    @classmethod
    def around(cls, title: str, values: Iterable[float], *, is_log: bool = False, n_ticks: int = 6) -> Axis:
        """An axis that has room for all of these values, up to its next ticks; on a logarithmic one, powers of ten."""
        finite = [value for value in values if math.isfinite(value) and (value > 0 or not is_log)]
        low, high = (min(finite), max(finite)) if finite else ((0.1, 1.0) if is_log else (0.0, 1.0))
        if is_log:
            low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
            return cls(title, low, high if high > low else 10 * low, is_log=True, n_ticks=n_ticks)
        if high - low <= 1e-12 * max(abs(low), abs(high)):
            reach = abs(low) / 10 or 1.0
            low, high = low - reach, high + reach
        step = _step(low, high, n_ticks)
        return cls(title, step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9), n_ticks=n_ticks)

    @classmethod
    def close(cls, title: str, values: Iterable[float], *, n_ticks: int = 6) -> Axis:
        """An axis that ends a little beyond the values, wherever its ticks are."""
        finite = [value for value in values if math.isfinite(value)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
        if high - low <= 1e-12 * max(abs(low), abs(high)):
            return cls.around(title, finite, n_ticks=n_ticks)
        margin = 0.04 * (high - low)
        return cls(title, low - margin, high + margin, n_ticks=n_ticks)

    def place(self, value: float) -> float:
        """Where a value lies: 0 at the beginning of the axis, 1 at its end, and never beyond."""
        if self.is_log:
            low, high = math.log10(self.low), math.log10(self.high)
            value = math.log10(value) if value > 0 else low
        else:
            low, high = self.low, self.high
        return min(1.0, max(0.0, (value - low) / (high - low)))

    @cached_property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Values that are written beside the axis, and how."""
        if self.is_log:
            return self._powers()
        step = _step(self.low, self.high, self.n_ticks)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        values = [round(place * step, 12 - math.floor(math.log10(step))) for place in range(first, last + 1)]
        # As many digits as tell a tick from the next.
        digits = math.floor(math.log10(max(map(abs, values)) / step)) + 2 if any(values) else 1
        return tuple((value, number(value, max(2, digits))) for value in values)

    def _powers(self) -> tuple[tuple[float, str], ...]:
        first, last = round(math.log10(self.low)), round(math.log10(self.high))
        every = max(1, math.ceil((last - first + 1) / self.n_ticks))
        powers = [10.0**exponent for exponent in range(first, last + 1, every)]
        return tuple(
            (value, number(value) if self.low >= 0.01 and self.high <= 1000 else power(value)) for value in powers
        )


def _step(low: float, high: float, n_ticks: int) -> float:
    """A round number that divides a range into about so many parts."""
    rough = (high - low) / max(1, n_ticks - 1)
    size = 10.0 ** math.floor(math.log10(rough))
    return size * next(step for step in _STEPS if step * size >= rough * (1 - 1e-9))
