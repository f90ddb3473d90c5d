"""Columns of new tables as the kind that training saw: taken where nothing is lost, refused otherwise."""

from __future__ import annotations

import numpy as np

from mercer.errors import InputError
from mercer.tables.table import Column, ColumnKind, Table

__all__ = ["column_of_kind"]

# Words of booleans that are numbers as well, whatever the case of their letters.
_NUMERIC_WORDS = {("0", "1"), ("false", "true")}
# What is quoted of values that do not fit.
_MOST_QUOTED = 3


def column_of_kind(table: Table, name: str, kind: ColumnKind, words: tuple[str, ...] = ()) -> Column:
    """The column of that name as one of that kind.

    Anything can be a text; a column without any value can be anything; 0 and 1, or the two words that training had, can
    be booleans; booleans that are 0 and 1, or false and true, can be numbers.

    Parameters
    ----------
    table : Table
    name : str
    kind : ColumnKind
        What training saw.
    words : tuple of str
        Of booleans, the words for 0 and for 1 that training saw.

    Raises
    ------
    InputError
        Where the table has no such column, with the names nearest to it, or one of another kind.
    """
    column = table[name]
    if column.kind is kind:
        return column
    if column.missing.all():
        return _without_values(column, kind, words)
    if kind is ColumnKind.TEXT:
        return _as_text(column)
    if kind is ColumnKind.BOOLEAN:
        found = _as_boolean(column, words)
        if found is not None:
            return found
    if kind is ColumnKind.NUMBER and column.kind is ColumnKind.BOOLEAN and _are_numeric(column.words):
        return Column(name, kind, column.values)
    raise _unexpected(column, kind, words, table.reading.source)


def _are_numeric(words: tuple[str, ...]) -> bool:
    return tuple(word.lower() for word in words) in _NUMERIC_WORDS


def _without_values(column: Column, kind: ColumnKind, words: tuple[str, ...]) -> Column:
    rows = len(column.values)
    if kind is ColumnKind.TEXT:
        return Column(column.name, kind, np.full(rows, -1, dtype=np.int32))
    if kind is ColumnKind.DATE:
        return Column(column.name, kind, np.full(rows, "NaT", dtype="datetime64[us]"))
    return Column(column.name, kind, np.full(rows, np.nan), words)


def _as_text(column: Column) -> Column:
    texts = column.texts()
    missing = column.missing
    words, codes = np.unique(texts[~missing].astype(str), return_inverse=True)
    values = np.full(len(texts), -1, dtype=np.int32)
    values[~missing] = codes
    return Column(column.name, ColumnKind.TEXT, values, tuple(words.tolist()))


def _as_boolean(column: Column, words: tuple[str, ...]) -> Column | None:
    missing = column.missing
    if column.kind is ColumnKind.NUMBER:
        fits = bool(np.all(missing | np.isin(column.values, (0.0, 1.0))))
        return Column(column.name, ColumnKind.BOOLEAN, column.values, words) if fits else None
    if column.kind is not ColumnKind.TEXT:
        return None
    place = np.array([*(words.index(word) if word in words else -1 for word in column.words), -1], dtype=np.float64)
    values = place[column.values]
    if np.any((values < 0) & ~missing):
        return None
    return Column(column.name, ColumnKind.BOOLEAN, np.where(missing, np.nan, values), words)


def _unexpected(column: Column, kind: ColumnKind, words: tuple[str, ...], source: str) -> InputError:
    given = column.texts()[~column.missing]
    # The first that cannot be meant: among numbers that came as text, the one that is none.
    odd = [value for value in given if not _could_be(value, kind)] or list(given)
    shown = ", ".join(f"{value!r:.60}" for value in list(dict.fromkeys(odd))[:_MOST_QUOTED])
    wanted = f"a {kind.value}" + (f" ({words[0]!r} or {words[1]!r})" if len(words) == 2 else "")
    return InputError(
        f"Column {column.name!r} of {source}: expected {wanted} in each row, as in training, got {column.kind.value} "
        f"such as {shown}. Correct these values, or leave them empty; they count as missing then."
    )


def _could_be(value: str, kind: ColumnKind) -> bool:
    if kind is not ColumnKind.NUMBER:
        return False
    try:
        return bool(np.isfinite(float(value)))
    except ValueError:
        return False
