"""Columns cast to the kinds that a model knows; a value that cannot be of its kind is refused with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from mercer.errors import InputError
from mercer.tables.booleans import read_boolean
from mercer.tables.cells import Cells
from mercer.tables.dates import read_date
from mercer.tables.numerals import read_numeral
from mercer.tables.table import Column, ColumnKind, Table, check_columns
from mercer.tables.understanding import Locate, Rules, check_finite
from mercer.tables.words import Words

__all__ = ["Schema", "cast_table", "cast_cells", "cast_column", "wanted"]

_T = TypeVar("_T")

#: The names and kinds of the columns that a model knows.
Schema = Sequence[tuple[str, ColumnKind]]

_EXPECTED = {
    ColumnKind.NUMBER: "a number",
    ColumnKind.BOOLEAN: "yes or no (or true or false, 0 or 1)",
}
#: By whether training had the day first.
_DATES = {
    None: "a date as 2026-12-31",
    True: "a date as 2026-12-31, or with the day first as 31/12/2026",
    False: "a date as 2026-12-31, or with the month first, as in training: 12/31/2026",
}


def wanted(schema: Schema, keep: Iterable[str]) -> dict[str, ColumnKind]:
    """The kinds of all columns to read; those to keep that the schema does not know are text."""
    kinds = dict(schema)
    return {**kinds, **{name: ColumnKind.TEXT for name in keep if name not in kinds}}


def cast_table(
    table: Table, schema: Schema, keep: Iterable[str] = (), rules: Rules | None = None, *, first_row: int = 0
) -> Table:
    """The columns of a schema, in its order and of its kinds, then those to keep, as text.

    Parameters
    ----------
    table : Table
    schema : sequence of (str, ColumnKind)
    keep : iterable of str
        Further columns to pass on.
    rules : Rules, optional
        How words are read where a column must be cast from text.
    first_row : int
        Which row of its source the table begins with, for errors.
    """
    locate = _by_row(table.reading.source, first_row)
    kinds = wanted(schema, keep)
    check_columns(kinds, table.names, table.reading.source)
    columns = tuple(cast_column(table[name], kind, rules or Rules(), locate) for name, kind in kinds.items())
    return Table(columns, table.reading)


def _by_row(source: str, first_row: int) -> Locate:
    return lambda row: f"{source}, row {first_row + row + 1}"


def cast_column(column: Column, kind: ColumnKind, rules: Rules, locate: Locate) -> Column:
    """A column as one of another kind, through the words that a person would write where there is no shorter way."""
    if column.kind is kind:
        return column
    if kind is ColumnKind.NUMBER and column.kind is ColumnKind.BOOLEAN:
        return Column(column.name, kind, column.values)
    words = Words.of(column.texts())
    # Written by us, with a point, unless the words are those of a file.
    decimal = rules.decimal if column.kind is ColumnKind.TEXT else "."
    cells = Cells(np.full(len(words.codes), np.nan), words)
    return cast_cells(column.name, cells, kind, Rules(rules.nulls, decimal, rules.day_first), locate)


def cast_cells(name: str, cells: Cells, kind: ColumnKind, rules: Rules, locate: Locate) -> Column:
    """Cells as a column of a kind; those of another kind than numbers must all be in the rest."""
    words = cells.rest
    if kind is ColumnKind.TEXT:
        clean = words.without(rules.nulls.holds)
        return Column(name, kind, clean.codes, clean.words)
    if kind is ColumnKind.NUMBER:
        is_missing, read = rules.nulls.holds_among_numbers, lambda word: read_numeral(word, rules.decimal)
        values = _values(name, words, kind, is_missing, read, locate)
        numbers = np.where(words.codes < 0, cells.numbers, words.spread(values, np.nan, np.float64))
        check_finite(name, words, values, locate)
        return Column(name, kind, numbers)
    if kind is ColumnKind.BOOLEAN:
        values = _values(name, words, kind, rules.nulls.holds, read_boolean, locate)
        return Column(name, kind, words.spread(values, np.nan, np.float64), ("false", "true"))
    # Day first unless told otherwise, as where a table is understood.
    day_first = rules.day_first_in(name)
    moments = _values(
        name, words, kind, rules.nulls.holds, lambda word: read_date(word, day_first), locate, _DATES[day_first]
    )
    return Column(name, kind, words.spread(moments, None, "datetime64[us]"))


def _values(
    name: str,
    words: Words,
    kind: ColumnKind,
    is_missing: Callable[[str], bool],
    read: Callable[[str], _T | None],
    locate: Locate,
    expected: str | None = None,
) -> list[_T | None]:
    """The value of each word, None for those that mean missing."""
    values = [None if is_missing(word) else read(word) for word in words.words]
    wrong = [place for place, value in enumerate(values) if value is None and not is_missing(words.words[place])]
    if wrong:
        row, word = words.first_of(wrong)
        raise InputError(
            f"{locate(row)}: expected {expected or _EXPECTED[kind]} in column {name!r}, got {word!r}. Mend the cell, "
            "or leave it empty if the value is missing."
        )
    return values
