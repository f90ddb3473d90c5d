"""Numbers in the digits that a reader needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["alike", "count", "duration", "measured", "number", "parameter", "power", "share"]

_NOTHING = "—"
# Outside of these, zeros would be counted by eye.
_LEAST_PLAIN, _MOST_PLAIN = 1e-4, 1e7
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float | None, digits: int = 4) -> str:
    """A number with so many digits that count.

    Examples
    --------
    >>> number(1234.5678), number(0.000012345, 3), number(-2.0)
    ('1,235', '1.23 × 10⁻⁵', '−2')
    """
    if value is None or math.isnan(value):
        return _NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if not _LEAST_PLAIN <= abs(value) < _MOST_PLAIN and not (isinstance(value, int) and abs(value) < 1e15):
        return _scientific(value, digits)
    if float(value).is_integer():
        return _signed(f"{value:,.0f}")
    return _signed(_trimmed(f"{value:,.{_decimals(value, digits)}f}"))


def measured(value: float | None, error: float | None) -> str:
    """A number with its standard error, both to the error's second digit.

    Examples
    --------
    >>> measured(0.85312, 0.0123)
    '0.853 ± 0.012'
    """
    if value is None or error is None or not math.isfinite(value) or not math.isfinite(error) or error <= 0:
        return number(value)
    if not _LEAST_PLAIN <= error < _MOST_PLAIN or abs(value) >= _MOST_PLAIN:
        return f"{number(value)} ± {number(error, 2)}"
    decimals = _decimals(error, 2)
    return f"{_signed(f'{value:,.{decimals}f}')} ± {error:,.{decimals}f}"


def alike(values: Sequence[tuple[float, float | None]]) -> list[str]:
    """Numbers with their standard errors for one column of a table: all to the second digit of the largest error.

    Examples
    --------
    >>> alike([(0.8698, 0.0096), (0.7568, 0.0123), (0.5, None)])
    ['0.870 ± 0.010', '0.757 ± 0.012', '0.500']
    """
    errors = [error for _, error in values if error is not None and _LEAST_PLAIN <= error < _MOST_PLAIN]
    if not errors or any(math.isfinite(value) and abs(value) >= _MOST_PLAIN for value, _ in values):
        return [measured(value, error) for value, error in values]
    decimals = _decimals(max(errors), 2)
    return [_fixed(value, decimals) + (f" ± {_fixed(error, decimals)}" if error else "") for value, error in values]


def count(value: int) -> str:
    """A count, its thousands apart."""
    return _signed(f"{value:,}")


def share(part: float, whole: float = 1.0) -> str:
    """A part of a whole in percent.

    Examples
    --------
    >>> share(1, 8), share(1, 80_000)
    ('12.5 %', '< 0.1 %')
    """
    if not whole or not math.isfinite(part / whole):
        return _NOTHING
    percent = 100 * part / whole
    if 0 < percent < 0.1:
        return "< 0.1 %"
    return f"{_trimmed(f'{percent:.1f}')} %"


def duration(seconds: float) -> str:
    """A time as one says it.

    Examples
    --------
    >>> duration(0.0123), duration(4.56), duration(200), duration(7320)
    ('12 ms', '4.6 s', '3 min 20 s', '2 h 2 min')
    """
    if not math.isfinite(seconds):
        return _NOTHING
    if seconds < 0.001:
        return "under 1 ms"
    if seconds < 0.9995:
        return f"{number(1000 * seconds, 2)} ms"
    if seconds < 99.95:
        return f"{number(seconds, 2 if seconds < 9.95 else 3)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def parameter(value: Any) -> str:
    """The value of a parameter, to the digits with which somebody would type it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return number(value, 6)


def power(value: float) -> str:
    """A power of ten, as the axis of a logarithmic scale has it."""
    return "10" + str(round(math.log10(value))).translate(_SUPERSCRIPTS)


def _decimals(value: float, digits: int) -> int:
    return max(0, digits - 1 - math.floor(math.log10(abs(value))))


def _fixed(value: float, decimals: int) -> str:
    return _signed(f"{value:,.{decimals}f}") if math.isfinite(value) else number(value)


def _scientific(value: float, digits: int) -> str:
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{_signed(_trimmed(mantissa))} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _signed(text: str) -> str:
    """A minus as wide as a plus; none before a zero that rounding left."""
    if text.startswith("-"):
        return "−" + text[1:] if text.strip("-0.,") else text[1:]
    return text
