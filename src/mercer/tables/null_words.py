"""Words that stand for a missing value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
    given : frozenset of str or None
        The words that the user gave, which then are the only ones beside the empty word, in the case as given; None for
        `NULL_WORDS` in any case.
    """

    given: frozenset[str] | None = None

    @classmethod
    def of(cls, words: Iterable[str] | None) -> NullWords:
        """The rule for what a user gave."""
        return cls(None if words is None else frozenset({"", *(word.strip() for word in words)}))

    def holds(self, word: str) -> bool:
        """Whether the word means missing in a column of any kind."""
        return word in self.given if self.given is not None else word.lower() in NULL_WORDS

    def holds_among_numbers(self, word: str) -> bool:
        """Whether the word means missing in a column of numbers."""
        return word in self.given if self.given is not None else word.lower() in NUMBER_NULL_WORDS
