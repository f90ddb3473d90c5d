"""How numbers are written: which words are numbers, and which only look like them."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["NUMERAL", "COMMA_NUMERAL", "INFINITE", "read_numeral", "dressed_numeral", "is_code", "is_inexact"]

#: A decimal numeral, with a point.
NUMERAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
#: The same with a decimal comma.
COMMA_NUMERAL = re.compile(r"[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]+)?")
#: Words for what no number of a table can be.
INFINITE = re.compile(r"[+-]?(?:inf|infinity)", re.IGNORECASE)

_GROUPED = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?|[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]*)?|[0-9]+(?:[.,][0-9]*)?)"
#: A number with what keeps it from being read: separators of thousands, a sign of percent or of a currency.
_DRESSED = re.compile(rf"(?:[+-]?[$€£¥]? ?|[$€£¥] ?[+-]){_GROUPED} ?[%$€£¥]?")
_CODE = re.compile(r"[+-]?0[0-9]+")
_WHOLE = re.compile(r"[+-]?[0-9]+")
#: Longer runs of digits are beyond float64.
_MOST_DIGITS = 300


def read_numeral(word: str, decimal: str) -> float | None:
    """The number that a word writes, possibly infinite; None where it writes none."""
    pattern = NUMERAL if decimal == "." else COMMA_NUMERAL
    if not pattern.fullmatch(word) and not INFINITE.fullmatch(word):
        return None
    return float(word.replace(",", "."))


def dressed_numeral(words: Iterable[str]) -> str | None:
    """A word to show where all are numbers, some with separators of thousands, percent or currency signs; else None."""
    shown = None
    for word in words:
        if not _DRESSED.fullmatch(word):
            return None
        if shown is None and not NUMERAL.fullmatch(word):
            shown = word
    return shown


def is_code(word: str) -> bool:
    """Whether the word is digits with a leading zero (`007`), whose zeros a number would lose."""
    return _CODE.fullmatch(word) is not None


def is_inexact(word: str) -> bool:
    """Whether the word is a whole number that float64 cannot hold, as some above 2⁵³."""
    if not _WHOLE.fullmatch(word):
        return False
    return len(word) > _MOST_DIGITS or int(word) != int(float(word))
