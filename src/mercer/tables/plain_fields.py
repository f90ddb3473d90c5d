"""Checks of fields that come from files, which may be forged: each returns the value or raises with its place."""

from __future__ import annotations

import math
from typing import Any

from mercer.errors import InputError

__all__ = ["count", "flag", "number", "positive", "share", "text", "texts"]


def text(place: str, value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise _unexpected(place, "a text", value)
    return value


def texts(place: str, value: Any) -> tuple[str, ...]:
    """Different strings, as a list or a tuple."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise _unexpected(place, "a list of texts", value)
    if len(set(value)) < len(value):
        raise _unexpected(place, "different texts", value)
    return tuple(value)


def flag(place: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise _unexpected(place, "true or false", value)
    return value


def count(place: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _unexpected(place, f"a whole number from {least} to {most}", value)
    return value


def number(place: str, value: Any) -> float:
    """A finite number."""
    found = _as_float(value)
    if not math.isfinite(found):
        raise _unexpected(place, "a finite number", value)
    return found


def positive(place: str, value: Any) -> float:
    """A finite number > 0."""
    found = _as_float(value)
    if not 0 < found < math.inf:
        raise _unexpected(place, "a finite number > 0", value)
    return found


def share(place: str, value: Any) -> float:
    """A number from 0 to 1."""
    found = _as_float(value)
    if not 0 <= found <= 1:
        raise _unexpected(place, "a number from 0 to 1", value)
    return found


def _as_float(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


#: What is quoted of a value that is wrong: it may be megabytes.
_MOST_QUOTED = 60


def _unexpected(place: str, expected: str, value: Any) -> InputError:
    try:
        given = repr(value)
    except (RecursionError, ValueError):  # nested without end, or more digits than Python writes
        given = f"a value of {type(value).__name__}"
    shown = given if len(given) <= _MOST_QUOTED else f"{given[:_MOST_QUOTED]}…"
    return InputError(f"{place}: expected {expected}, got {shown}. The file is damaged, or was not written by Mercer.")
