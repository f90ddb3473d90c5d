"""A table of mixed columns held as plain arrays, and how it was understood when it was read."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import InputError
from mercer.typing import Booleans

__all__ = ["Column", "ColumnKind", "Reading", "Table", "check_columns", "nearest_names", "no_such_column"]


class ColumnKind(Enum):
    """What the values of a column are."""

    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True, eq=False)
class Column:
    """One column: a name, a kind, and values in the array that the kind calls for.

    Attributes
    ----------
    name : str
    kind : ColumnKind
    values : ndarray of shape (n_rows,)
        NUMBER: float64, NaN where missing. BOOLEAN: float64, 0 and 1, NaN where missing. DATE: datetime64[us], NaT
        where missing. TEXT: int32 codes into `words`, −1 where missing.
    words : tuple of str
        TEXT: the distinct values by code. BOOLEAN: the words for 0 and 1 as the source has them. Otherwise empty.
    """

    name: str
    kind: ColumnKind
    values: NDArray[Any]
    words: tuple[str, ...] = ()

    @property
    def missing(self) -> Booleans:
        """Which rows have no value."""
        if self.kind is ColumnKind.TEXT:
            return np.asarray(self.values < 0)
        return np.asarray(np.isnat(self.values) if self.kind is ColumnKind.DATE else np.isnan(self.values))

    def texts(self) -> NDArray[np.object_]:
        """The values as a person would write them: `3`, not `3.0`; a day without its midnight; None where missing."""
        missing = self.missing
        if self.kind is ColumnKind.TEXT:
            written, place = self.words, np.where(missing, 0, self.values)
        elif self.kind is ColumnKind.BOOLEAN:
            written, place = self.words, np.where(missing, 0, self.values).astype(np.int8)
        else:
            distinct, place = np.unique(self.values, return_inverse=True)
            written = tuple(
                _written_dates(distinct) if self.kind is ColumnKind.DATE else map(_written_number, distinct)
            )
        found = np.array([*written, None], dtype=object)
        return np.asarray(found[np.where(missing, len(written), place)])

    def without_numbers(self, nulls: Sequence[float]) -> Column:
        """The same column; of numbers, these stand for missing values."""
        if self.kind is not ColumnKind.NUMBER or not nulls:
            return self
        return Column(self.name, self.kind, np.where(np.isin(self.values, nulls), np.nan, self.values))

    def take(self, rows: Any) -> Column:
        """The same column with these rows: indices, a mask or a slice. The words stay, so codes keep their meaning."""
        return Column(self.name, self.kind, self.values[rows], self.words)


@dataclass(frozen=True)
class Reading:
    """How a source was understood.

    Attributes
    ----------
    source : str
        Where the table came from: a path, "standard input", or a name.
    format : str
        "CSV", "Parquet", "Feather", "LIBSVM", "built in" or "data frame".
    told : tuple of str
        What was detected, in sentences for the user.
    separator, has_header, decimal, null_words, day_first
        What was detected in a text file; None or empty where the question does not arise.
    nulls_given : tuple of str
        Words for missing values that the user gave.
    date_orders : tuple of (str, bool)
        For each column with dates as 03/04/2026, whether they have the day first.
    """

    source: str
    format: str
    told: tuple[str, ...] = ()
    separator: str | None = None
    has_header: bool | None = None
    decimal: str | None = None
    null_words: tuple[str, ...] = ()
    day_first: bool | None = None
    nulls_given: tuple[str, ...] = ()
    date_orders: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length with distinct names, and how they were read."""

    columns: tuple[Column, ...]
    reading: Reading

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0].values) if self.columns else 0

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Column:
        try:
            return self._by_name[name]
        except KeyError:
            raise no_such_column(name, self.names, self.reading.source) from None

    def take(self, rows: Any) -> Table:
        """The table with these rows: indices, a mask or a slice."""
        return Table(tuple(column.take(rows) for column in self.columns), self.reading)

    def select(self, names: Iterable[str]) -> Table:
        """The table with these columns, in this order."""
        return Table(tuple(self[name] for name in names), self.reading)

    def without(self, names: str | Iterable[str]) -> Table:
        """The table without these columns, each of which must be there."""
        left_out = {names} if isinstance(names, str) else set(names)
        for name in left_out:
            self[name]
        return Table(tuple(column for column in self.columns if column.name not in left_out), self.reading)


#: How like a name must be to be offered; `target` is like `age` to two thirds.
_NEAR = 0.7


def nearest_names(name: str, names: Sequence[str], *, most: int = 3) -> tuple[str, ...]:
    """The names most like one that is not among them, whatever the case of their letters; best first."""
    lower: dict[str, str] = {}
    for known in names:
        lower.setdefault(known.lower(), known)
    near = difflib.get_close_matches(name.lower(), list(lower), n=most, cutoff=_NEAR)
    return tuple(lower[found] for found in near)


def no_such_column(name: str, names: Sequence[str], source: str) -> InputError:
    """The error for a column that a table does not have, with the nearest names or all of few."""
    near = nearest_names(name, names)
    hint = f"Did you mean {_listed(near)}?" if near else f"Its columns are {_listed(names)}."
    return InputError(f"Expected a column {name!r} in {source}, which has none of that name. {hint}")


def check_columns(wanted: Iterable[str], names: Sequence[str], source: str) -> None:
    """Refuses a table that does not have all columns, and says which it has not."""
    there = set(names)
    absent = [name for name in wanted if name not in there]
    if len(absent) == 1:
        raise no_such_column(absent[0], names, source)
    if absent:
        more = f" and {len(absent) - _MOST_ABSENT} more" if len(absent) > _MOST_ABSENT else ""
        raise InputError(
            f"Expected columns {_listed(absent[:_MOST_ABSENT])}{more} in {source}, which has none of these names. Its "
            f"columns are {_listed(names)}."
        )


#: More names than these do not help whoever reads an error.
_MOST_ABSENT = 5
_MOST_LISTED = 20


def _listed(names: Sequence[str]) -> str:
    written = ", ".join(repr(name) for name in names[:_MOST_LISTED])
    return written if len(names) <= _MOST_LISTED else f"{written} and {len(names) - _MOST_LISTED} more"


#: Whole numbers up to here are exact in float64, so that writing them without a point loses nothing.
_EXACT = 2.0**53


def _written_number(value: np.float64) -> str:
    return str(int(value)) if abs(value) <= _EXACT and value == int(value) else repr(float(value))


def _written_dates(values: NDArray[np.datetime64]) -> list[str]:
    days = values.astype("datetime64[D]")
    if np.all((days == values) | np.isnat(values)):
        return [str(day) for day in days]
    return [text.removesuffix(".000000").replace("T", " ") for text in np.datetime_as_string(values)]
