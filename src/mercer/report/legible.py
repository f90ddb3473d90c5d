"""Text from tables as a reader can see it: nothing that breaks a line, hides, or turns what stands beside it around."""

from __future__ import annotations

import unicodedata

__all__ = ["legible", "shortened", "width_of"]

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_JOINERS = "\u200d\ufe0e\ufe0f"


def _translation() -> dict[int, str]:
    table = {code: chr(0x2400 + code) for code in range(0x20)}
    table |= dict.fromkeys(map(ord, "\t\n\r\u2028\u2029"), " ")
    table[0x7F] = "\N{SYMBOL FOR DELETE}"
    table |= dict.fromkeys(range(0x80, 0xA0), _REPLACEMENT)
    # Marks that change the direction of what follows, beyond the end of the text they came in.
    table |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], _REPLACEMENT)
    # Halves of pairs and codes that are no characters: UTF-8 and HTML have no place for them.
    table |= dict.fromkeys([*range(0xD800, 0xE000), *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF], _REPLACEMENT)
    return table


_TRANSLATION = _translation()


def legible(text: str) -> str:
    """The text on one line, with control characters as their pictures.

    Examples
    --------
    >>> legible("two\\nlines\\x00")
    'two lines␀'
    """
    return text if text.isascii() and text.isprintable() else text.translate(_TRANSLATION)


def shortened(text: str, most: int) -> str:
    """The text itself, or its beginning with an ellipsis: at most so many characters.

    Examples
    --------
    >>> shortened("unfathomable", 8)
    'unfatho…'
    """
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    while kept and (kept[-1] in _JOINERS or unicodedata.combining(kept[-1])):
        kept = kept[:-1]
    return kept.rstrip() + "…"


def width_of(text: str, size: float) -> float:
    """About how wide a line of sans-serif text is: where a page is written there is no font to ask."""
    return size * sum(_ems(character) for character in text)


def _ems(character: str) -> float:
    if unicodedata.combining(character) or character in _JOINERS:
        return 0.0
    if character in "ijl.,:;|!'()[]ft ":
        return 0.36
    if character in "mwMW@%":
        return 0.9
    if unicodedata.east_asian_width(character) in "WF":
        return 1.1
    return 0.66 if character.isupper() else 0.58
