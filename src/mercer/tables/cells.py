"""The cells of a text column as they came: numbers where they are written plainly, and the text of all others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.database import identifier
from mercer.tables.words import Words
from mercer.typing import Booleans, Floats

__all__ = ["BLANKS", "Cells", "read_cells", "words_of"]

#: Blanks that are stripped off values: those of ASCII, and the one that does not break.
BLANKS = " \t\r\n\v\f\u00a0"


#: Planning a query takes longer than in proportion to its columns; wide tables are read in groups of so many.
_MOST_COLUMNS = 100


@dataclass(frozen=True, eq=False)
class Cells:
    """A column of cells.

    Attributes
    ----------
    numbers : float64 array
        The plainly written numbers; NaN elsewhere.
    rest : Words
        The words of all other cells: texts, but also numerals that must be looked at, as those with leading zeros or
        beyond 2⁵³. Empty cells have none.
    """

    numbers: Floats
    rest: Words

    @property
    def empty(self) -> Booleans:
        """Which cells have nothing in them."""
        return np.asarray(np.isnan(self.numbers) & (self.rest.codes < 0))

    @property
    def any_plain(self) -> bool:
        """Whether some number is written plainly."""
        return not bool(np.all(np.isnan(self.numbers)))


def read_cells(
    connection: Any,
    source: str,
    columns: Sequence[str],
    decimal: str,
    *,
    nulls: Sequence[float] = (),
    texts: Collection[str] = (),
    rows: slice = slice(None),
) -> list[Cells]:
    """The cells of text columns.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    source : str
        What follows FROM in SQL.
    columns : sequence of str
    decimal : str
        The decimal sign.
    nulls : sequence of float
        Numbers that stand for missing values; their cells belong to the rest.
    texts : collection of str
        Columns whose cells all belong to the rest, whatever they look like.
    rows : slice
        The rows that count.
    """
    if len(columns) > _MOST_COLUMNS:
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE cells AS SELECT {', '.join(map(identifier, columns))} FROM {source}"
        )
        groups = [columns[first : first + _MOST_COLUMNS] for first in range(0, len(columns), _MOST_COLUMNS)]
        return [cells for group in groups for cells in _read(connection, "cells", group, decimal, nulls, texts, rows)]
    return _read(connection, source, columns, decimal, nulls, texts, rows)


def _read(
    connection: Any,
    source: str,
    columns: Sequence[str],
    decimal: str,
    nulls: Sequence[float],
    texts: Collection[str],
    rows: slice,
) -> list[Cells]:
    places = range(len(columns))
    numbers = {place for place in places if columns[place] not in texts}
    # Among numbers only what is none has its blanks taken off, which is dear.
    trimmed = ", ".join(
        f"{identifier(column) if place in numbers else f'trim({identifier(column)})'} AS t{place}"
        for place, column in enumerate(columns)
    )
    casts = ", ".join(["*", *(f"{_cast(place, decimal)} AS n{place}" for place in numbers)])
    plain = ", ".join(["*", *(f"coalesce({_is_plain(place, decimal, nulls)}, false) AS p{place}" for place in numbers)])
    parted = ", ".join(_parted(place) if place in numbers else f"t{place}" for place in places)
    query = f"SELECT {parted} FROM (SELECT {plain} FROM (SELECT {casts} FROM (SELECT {trimmed} FROM {source})))"
    found = connection.execute(query).fetchnumpy()
    cells = []
    for place in places:
        rest = words_of(found.pop(f"t{place}")[rows])
        values = found.pop(f"n{place}")[rows] if place in numbers else np.full(len(rest.codes), np.nan)
        cells.append(Cells(np.asarray(values, dtype=np.float64), rest))
    return cells


def _parted(place: int) -> str:
    number, text = f"n{place}", f"t{place}"
    value = f"CASE WHEN p{place} THEN {number} ELSE 'nan'::DOUBLE END AS {number}"
    return f"{value}, CASE WHEN NOT p{place} THEN trim({text}) END AS {text}"


def _cast(place: int, decimal: str) -> str:
    text = f"t{place}" if decimal == "." else f"replace(t{place}, ',', '.')"
    return f"TRY_CAST({text} AS DOUBLE)"


def _is_plain(place: int, decimal: str, nulls: Sequence[float]) -> str:
    """Whether a cell is a number and nothing else: the cast also takes `1_000`, `+-1`, tabs and zeros that lead."""
    numeral = f" *-?(0|[1-9][0-9]*)?([{decimal}][0-9]*)?([eE][+-]?[0-9]+)? *"
    others = "".join(f" AND n{place} <> {value!r}::DOUBLE" for value in nulls)
    return f"abs(n{place}) < {2**53} AND regexp_full_match(t{place}, '{numeral}'){others}"


# The query trims blanks alone, which is much faster: the others are stripped off the distinct words.
def words_of(found: NDArray[Any]) -> Words:
    """The words of a column of the database's."""
    texts = np.ma.getdata(found)
    missing = np.ma.getmaskarray(found)
    if missing.all():
        return Words((), np.full(len(texts), -1, dtype=np.int32))
    if missing.any():
        texts = np.where(missing, np.array(None), texts)
    return Words.of(texts).stripped(BLANKS)
