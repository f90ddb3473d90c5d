"""How truth is written: pairs of words. 0 and 1 are numbers, unless a model knows the column as a boolean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from mercer.tables.table import Column, ColumnKind
from mercer.tables.words import Words

__all__ = ["boolean_words", "read_boolean", "with_booleans"]

#: Pairs that one of its words suffices to recognise.
_PLAIN = (("false", "true"), ("no", "yes"))
#: Pairs of letters, which may be categories: both must be there.
_LETTERS = (("f", "t"), ("n", "y"))
_VALUES = {word: float(value) for pair in (*_PLAIN, *_LETTERS, ("0", "1")) for value, word in enumerate(pair)}


def boolean_words(words: Sequence[str], counts: Sequence[int]) -> tuple[str, str] | None:
    """The words for false and true where these are all the words of a column, each as most often spelt; else None."""
    lower = {word.lower() for word in words}
    for pair in (*_PLAIN, *_LETTERS):
        if lower and lower <= set(pair) and (pair in _PLAIN or lower == set(pair)):
            return _spelling(pair[0], pair[1], words, counts), _spelling(pair[1], pair[0], words, counts)
    return None


def read_boolean(word: str) -> float | None:
    """0 or 1 for a word of any of the pairs; None for another."""
    return _VALUES.get(word.lower())


def with_booleans(columns: Iterable[Column]) -> tuple[list[Column], list[str]]:
    """The columns, of which texts with such words alone are booleans as in a text file, and what to tell of them."""
    found, told = [], []
    for column in columns:
        if column.kind is ColumnKind.TEXT:
            words = Words(column.words, column.values)
            pair = boolean_words(words.words, words.counts().tolist())
            if pair is not None:
                told.append(
                    f"Column {column.name!r} is text with {pair[0]!r} and {pair[1]!r} alone, read as a boolean."
                )
                values = words.spread(map(read_boolean, words.words), np.nan, np.float64)
                column = Column(column.name, ColumnKind.BOOLEAN, values, pair)
        found.append(column)
    return found, told


def _spelling(word: str, other: str, words: Sequence[str], counts: Sequence[int]) -> str:
    """The word as the column mostly has it; one that it lacks follows the case of the other."""
    found = [(count, spelt) for count, spelt in zip(counts, words, strict=True) if spelt.lower() == word]
    if found:
        return max(found)[1]
    model = next(spelt for spelt in words if spelt.lower() == other)
    return word.upper() if model.isupper() else word.capitalize() if model[0].isupper() else word
