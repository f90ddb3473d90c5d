"""What the cells of a text column are: numbers, booleans, dates or text, decided by every one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mercer.errors import InputError
from mercer.tables.booleans import boolean_words, read_boolean
from mercer.tables.cells import Cells
from mercer.tables.dates import date_order, names_zone, read_date
from mercer.tables.null_words import NullWords
from mercer.tables.numerals import dressed_numeral, is_code, is_inexact, read_numeral
from mercer.tables.sniffing import has_decimal_comma, may_have_thousands
from mercer.tables.table import Column, ColumnKind
from mercer.tables.words import Words

__all__ = ["Rules", "Understood", "understand", "check_finite"]

#: A column with so many numbers was meant to be one: what keeps it from that is told.
_MOSTLY = 0.9


@dataclass(frozen=True)
class Rules:
    """How words are read: which mean missing, the decimal sign, and whether dates have the day first (None: see)."""

    nulls: NullWords = field(default_factory=NullWords)
    decimal: str = "."
    day_first: bool | Mapping[str, bool] | None = None

    def day_first_in(self, name: str) -> bool | None:
        """Whether dates of a column have the day first, where that is said."""
        return self.day_first.get(name) if isinstance(self.day_first, Mapping) else self.day_first


@dataclass(frozen=True)
class Understood:
    """A column, how many cells each word for missing accounts for, and what to tell.

    Attributes
    ----------
    column : Column
    nulls : dict
        Cells by word for missing; "" for empty ones.
    told : tuple of str
    wants_comma : bool
        Whether this is text that a decimal comma would make numbers.
    day_first : bool or None
        The order of day and month, where its dates have one.
    """

    column: Column
    nulls: dict[str, int]
    told: tuple[str, ...] = ()
    wants_comma: bool = False
    day_first: bool | None = None


#: Tells where a row is, as "table.csv, line 17".
Locate = Callable[[int], str]


def understand(name: str, cells: Cells, texts: Callable[[], Words], rules: Rules, locate: Locate) -> Understood:
    """The column that some cells are.

    Parameters
    ----------
    name : str
    cells : Cells
    texts : callable
        Fetches the words of all cells, the plain numbers too, which is rarely needed.
    rules : Rules
    locate : callable
        Tells where a row is, for errors.
    """
    numbers = _numbers(name, cells, rules, locate)
    if numbers is not None:
        return numbers
    words = texts() if cells.any_plain else cells.rest
    clean = words.without(rules.nulls.holds)
    nulls = _null_counts(words, rules.nulls.holds)
    if not clean.words:
        return Understood(_text(name, clean), nulls, (f"Column {name!r} has no values.",))
    booleans = boolean_words(clean.words, clean.counts().tolist())
    if booleans is not None:
        values = clean.spread(map(read_boolean, clean.words), np.nan, np.float64)
        return Understood(Column(name, ColumnKind.BOOLEAN, values, booleans), nulls)
    dates = _dates(name, clean, nulls, rules, locate)
    if dates is not None:
        return dates
    return Understood(
        _text(name, clean),
        nulls,
        tuple(_why_text(name, cells, clean, rules, locate)),
        wants_comma=rules.decimal == "." and has_decimal_comma(clean.words),
    )


def check_finite(name: str, words: Words, values: Sequence[float | None], locate: Locate) -> None:
    """Refuses words whose value is a number that no machine computes with."""
    wrong = [place for place, value in enumerate(values) if value is not None and np.isinf(value)]
    if wrong:
        row, word = words.first_of(wrong)
        raise InputError(
            f"{locate(row)}: expected a finite number in column {name!r}, got {word!r}. Put a number there, or leave "
            "the cell empty if the value is missing."
        )


def _text(name: str, words: Words) -> Column:
    return Column(name, ColumnKind.TEXT, words.codes, words.words)


def _null_counts(words: Words, is_missing: Callable[[str], bool]) -> dict[str, int]:
    counts = words.counts().tolist()
    found = {word: count for word, count in zip(words.words, counts, strict=True) if is_missing(word)}
    empty = int(np.sum(words.codes < 0))
    return {"": empty, **found} if empty else found


def _numbers(name: str, cells: Cells, rules: Rules, locate: Locate) -> Understood | None:
    """The column where every cell is a number or missing; None where it is not."""
    values: list[float] = []
    for word in cells.rest.words:
        value = np.nan if rules.nulls.holds_among_numbers(word) else read_numeral(word, rules.decimal)
        if value is None or is_code(word):
            return None
        values.append(value)
    if not cells.any_plain and np.all(np.isnan(values)):
        return None
    rest = cells.rest.spread(values, np.nan, np.float64)
    numbers = np.where(cells.rest.codes < 0, cells.numbers, rest)
    told: tuple[str, ...] = ()
    inexact = [word for word in cells.rest.words if is_inexact(word)]
    if inexact:
        present = numbers[np.isfinite(numbers)]
        if np.all(present == np.floor(present)):
            return None
        told = (f"Column {name!r} has numbers that float64 rounds, as {inexact[0]}.",)
    check_finite(name, cells.rest, values, locate)
    nulls = _null_counts(cells.rest, rules.nulls.holds_among_numbers)
    nulls.pop("", None)
    if empty := int(np.sum(cells.empty)):
        nulls[""] = empty
    return Understood(Column(name, ColumnKind.NUMBER, numbers), nulls, told)


def _dates(name: str, words: Words, nulls: dict[str, int], rules: Rules, locate: Locate) -> Understood | None:
    order = date_order(words.words, rules.day_first_in(name))
    if order is None:
        return None
    moments = [read_date(word, order.day_first) for word in words.words]
    wrong = [place for place, moment in enumerate(moments) if moment is None]
    if wrong:
        row, word = words.first_of(wrong)
        why = f"Column {name!r} looks like dates but is read as text: {word!r} ({locate(row)}) is none."
        return Understood(_text(name, words), nulls, (why,))
    told = tuple(_date_notes(name, words.words, order.day_first, order.ambiguous))
    values = words.spread(moments, None, "datetime64[us]")
    return Understood(Column(name, ColumnKind.DATE, values), nulls, told, day_first=order.day_first)


def _date_notes(name: str, words: Sequence[str], day_first: bool | None, ambiguous: bool) -> list[str]:
    told = []
    if ambiguous:
        told.append(
            f"Dates in {name!r} may have the day or the month first, as {words[0]}: the day is taken to come first. "
            "Write 2026-12-31 to be sure."
        )
    elif day_first is not None:
        told.append(f"Dates in {name!r} have the {'day' if day_first else 'month'} first.")
    if any(map(names_zone, words)):
        told.append(f"Times in {name!r} name their zone and are read as UTC.")
    return told


def _why_text(name: str, cells: Cells, words: Words, rules: Rules, locate: Locate) -> list[str]:
    """What to tell of text that was nearly something else."""
    others = [place for place, word in enumerate(words.words) if read_numeral(word, rules.decimal) is None]
    if not others:
        code = next(filter(is_code, words.words), None)
        if code is not None:
            return [f"Column {name!r} has digits with leading zeros, as {code!r}, and is read as text."]
        inexact = next(filter(is_inexact, words.words))
        return [f"Column {name!r} has whole numbers beyond what float64 holds, as {inexact}, and is read as text."]
    if may_have_thousands(words.words):
        example = next(word for word in words.words if "," in word)
        return [
            f"Column {name!r} has values as {example!r}, whose comma may part thousands or decimals, and is read as "
            "text. Take the commas out, or say that they are decimal (--decimal ,)."
        ]
    dressed = dressed_numeral(words.words)
    if dressed is not None:
        return [
            f"Column {name!r} has numbers with separators of thousands, percent or currency signs, as {dressed!r}, and "
            "is read as text. Take these signs out to have numbers."
        ]
    if not cells.any_plain:
        return []
    n_others, n_present = int(np.sum(words.counts()[others])), int(np.sum(words.codes >= 0))
    if n_others > (1 - _MOSTLY) * n_present:
        return []
    row, word = words.first_of(others)
    return [
        f"Column {name!r} is read as text: {n_others:,} of its {n_present:,} values {'is' if n_others == 1 else 'are'} "
        f"no number{'' if n_others == 1 else 's'}, the first being {word!r} ({locate(row)})."
    ]
