"""Whether the first line of a text file names the columns, and the names that they get."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mercer.tables.booleans import boolean_words
from mercer.tables.dates import is_date
from mercer.tables.null_words import NullWords
from mercer.tables.numerals import COMMA_NUMERAL, NUMERAL

__all__ = ["Header", "find_header", "given_header", "numbered"]

#: A column of the sample is of a kind where this share of its values are.
_SAME_KIND = 0.9


@dataclass(frozen=True)
class Header:
    """Whether there is a header, the names of the columns, and what to tell."""

    is_there: bool
    names: tuple[str, ...]
    told: tuple[str, ...]


def find_header(first: Sequence[str], rows: Sequence[Sequence[str]], nulls: NullWords) -> Header:
    """Decides by the kinds of the columns below the first line; where all is text, by whether its words come again."""
    for_header = for_row = 0
    for place, word in enumerate(first):
        below = _kind_below([row[place] for row in rows], nulls)
        if below == "text" or nulls.holds(word):
            continue
        for_row += _kind(word) == below
        for_header += _kind(word) == "text"
    if for_header or for_row:
        return given_header(first, for_header >= for_row)
    if not rows:
        return given_header(first, not any(nulls.holds(word) or _kind(word) != "text" for word in first))
    again = any(word == row[place] for place, word in enumerate(first) for row in rows)
    distinct = len(set(first)) == len(first) and not any(nulls.holds(word) for word in first)
    found = given_header(first, distinct and not again)
    reason = (
        "Every column is text, and no word of the first line comes again below it: it is taken for the names of the "
        "columns (--no-header if it is a row)."
        if found.is_there
        else "Every column is text, and the first line has words of the rows below: it is taken for a row, and the "
        f"columns are named column1 to column{len(first)} (--header if it names them)."
    )
    return Header(found.is_there, found.names, (reason, *found.told[1:]))


def given_header(first: Sequence[str], is_there: bool) -> Header:
    """The names of the columns where it is known whether the first line has them."""
    if is_there:
        names, told = _named(first)
        return Header(True, names, ("The first line names the columns.", *told))
    names = numbered(len(first))
    which = f"s are named column1 to column{len(first)}" if len(first) > 1 else " is named column1"
    return Header(False, names, (f"There is no header: the column{which}.",))


def numbered(n_columns: int) -> tuple[str, ...]:
    """Names for columns that have none."""
    return tuple(f"column{place}" for place in range(1, n_columns + 1))


def _named(first: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Distinct names: one that is missing is made, one that comes again gets a number."""
    names: list[str] = []
    told: list[str] = []
    taken = set(first)
    for place, word in enumerate(first, 1):
        name = word or _free(f"column{place}", taken)
        if not word:
            told.append(f"Column {place} has no name and is called {name!r}.")
        elif word in names:
            name = _free(word, taken)
            told.append(f"The name {word!r} comes again in column {place}, which is called {name!r}.")
        taken.add(name)
        names.append(name)
    return tuple(names), told


def _free(name: str, taken: set[str]) -> str:
    if name.startswith("column") and name not in taken:
        return name
    count = 2
    while f"{name}_{count}" in taken:
        count += 1
    return f"{name}_{count}"


def _kind(word: str) -> str:
    if NUMERAL.fullmatch(word) or COMMA_NUMERAL.fullmatch(word):
        return "number"
    if is_date(word):
        return "date"
    return "boolean" if boolean_words([word], [1]) else "text"


def _kind_below(words: Sequence[str], nulls: NullWords) -> str:
    """The kind of most values of a column; text where there are several or none."""
    kinds = Counter(_kind(word) for word in words if not nulls.holds_among_numbers(word))
    if not kinds:
        return "text"
    kind, count = kinds.most_common(1)[0]
    return kind if count >= _SAME_KIND * kinds.total() else "text"
