"""Words that stand for a missing value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from mercer.tables.numerals import read_numeral

__all__ = ["NULL_WORDS", "NUMBER_NULL_WORDS", "NullWords"]

#: In any column, in lower case: what pandas, R, spreadsheets, databases and the archives of the field write.
NULL_WORDS = frozenset(
    {
        *("", "na", "n/a", "#na", "#n/a", "#n/a n/a", "<na>", "nan", "-nan", "nat", "null", "none", "?", "..."),
        *("1.#qnan", "-1.#qnan", "1.#ind", "-1.#ind", "\\n"),
    }
)

#: Missing too where the column otherwise has numbers; as a category they may mean something.
NUMBER_NULL_WORDS = NULL_WORDS | {"-", "--", ".", "#div/0!", "#value!", "#ref!", "#num!", "#null!"}


@dataclass(frozen=True)
class NullWords:
    """Which words mean that a value is missing.

    Attributes
    ----------
    given : frozenset of str
        The words that the user gave, in the case as given, beside `NULL_WORDS` in any case.
    """

    given: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: Iterable[str] | None) -> NullWords:
        """The rule for what a user gave."""
        return cls(frozenset(word.strip() for word in words or ()))

    @property
    def sorted(self) -> tuple[str, ...]:
        """The words that the user gave."""
        return tuple(sorted(self.given))

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The finite numbers among the words that the user gave."""
        read = (read_numeral(word, "," if "," in word else ".") for word in self.given)
        return tuple(sorted({value for value in read if value is not None and abs(value) < float("inf")}))

    def holds(self, word: str) -> bool:
        """Whether the word means missing in a column of any kind."""
        return word in self.given or word.lower() in NULL_WORDS

    def holds_among_numbers(self, word: str) -> bool:
        """Whether the word means missing in a column of numbers."""
        if word in self.given or word.lower() in NUMBER_NULL_WORDS:
            return True
        return bool(self.numbers) and read_numeral(word, "," if "," in word else ".") in self.numbers
