"""Columns of free text: a feature for each common word, 0 or 1.

Names, titles and remarks differ from row to row, but share words: "Mrs." in the names of titanic's passengers tells
more of them than the rest of the name. Ids have no such words, and are left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.errors import InputError
from mercer.tables import plain_fields
from mercer.tables.column_code import ColumnCode, Surprises
from mercer.tables.table import Column, ColumnKind
from mercer.typing import Floats

__all__ = ["AROUND", "WordsCode", "words_of"]

#: What words are not alone with: brackets, quotes, stops.
AROUND = ".,;:!?()[]{}<>\"'`´‘’“”«»…-–—/\\|*#&+=_~"
_SHORTEST = 2


@dataclass(frozen=True)
class WordsCode(ColumnCode):
    """Whether each word of a vocabulary is among those of the text, whatever the case of its letters.

    Attributes
    ----------
    vocabulary : tuple of str
        In order.
    has_indicator : bool
        Whether a last feature is 1 where the text is missing.
    """

    code: ClassVar[str] = "words"

    vocabulary: tuple[str, ...]
    has_indicator: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("vocabulary", plain_fields.texts)
        self._checked("has_indicator", plain_fields.flag)
        if not self.vocabulary or list(self.vocabulary) != sorted(self.vocabulary):
            raise InputError(f"Column {self.name!r}, vocabulary: expected words in order, got none or others.")

    @classmethod
    def learn(cls, column: Column, why: str, most_words: int, least_rows: int) -> Self | None:
        """From a column of texts; None where no word is common.

        A word has a feature where `least_rows` or more have it and as many have not, and it is among the `most_words`
        commonest. `why` says in words why the texts are no categories.
        """
        counts = np.bincount(column.values[column.values >= 0], minlength=len(column.words))
        rows: Counter[str] = Counter()
        for code in np.flatnonzero(counts):
            rows.update(dict.fromkeys(words_of(column.words[code]), int(counts[code])))
        given = int(counts.sum())
        common = [(-count, word) for word, count in rows.items() if least_rows <= count <= given - least_rows]
        if not common:
            return None
        vocabulary = tuple(sorted(word for _, word in sorted(common)[:most_words]))
        note = f"{why}: its {len(vocabulary)} commonest words have a feature each"
        return cls(column.name, note, vocabulary, bool(np.any(column.values < 0)))

    @property
    def column_kind(self) -> ColumnKind:
        return ColumnKind.TEXT

    @property
    def feature_names(self) -> tuple[str, ...]:
        names = tuple(f"{self.name} has {word!r}" for word in self.vocabulary)
        return (*names, f"{self.name} (missing)") if self.has_indicator else names

    def encode(self, column: Column, out: Floats) -> Surprises:
        place = {word: number for number, word in enumerate(self.vocabulary)}
        # One row a text, and a last one for rows without any, whose code is −1.
        has = np.zeros((len(column.words) + 1, self.n_features))
        for code in np.unique(column.values[column.values >= 0]):
            has[code, [place[word] for word in words_of(column.words[code]) if word in place]] = 1.0
        if self.has_indicator:
            has[-1, -1] = 1.0
        out[:] = has[column.values]
        return Surprises(missing=0 if self.has_indicator else int(np.count_nonzero(column.values < 0)))


def words_of(text: str) -> set[str]:
    """The words of a text: what stands between blanks, without stops around it, where it is letters only.

    Examples
    --------
    >>> from mercer.tables.words_code import words_of
    >>> sorted(words_of("Cumings, Mrs. John (B-12) 4711"))
    ['cumings', 'john', 'mrs']
    """
    parts = (part.strip(AROUND) for part in text.lower().split())
    return {part for part in parts if len(part) >= _SHORTEST and part.isalpha()}
