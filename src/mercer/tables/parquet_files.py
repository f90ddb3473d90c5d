"""Parquet files into tables: the file says what its columns are, and only text is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import InputError
from mercer.tables.booleans import with_booleans
from mercer.tables.casting import Schema, cast_table, wanted
from mercer.tables.cells import read_cells
from mercer.tables.database import identifier, quoted, within
from mercer.tables.options import ReadingOptions
from mercer.tables.table import Column, ColumnKind, Reading, Table, check_columns
from mercer.tables.understanding import Rules

__all__ = ["read_parquet_table", "read_parquet_batches"]

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
#: Whole numbers of these may be beyond what float64 holds.
_LARGE = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
_REAL = ("FLOAT", "DOUBLE", "DECIMAL")
_TEXT = ("VARCHAR", "ENUM", "UUID", "TIME", "JSON")


@dataclass(frozen=True)
class _Typed:
    """A column of a file: its name, its kind and the type that the database gives it."""

    name: str
    kind: ColumnKind
    type: str


def read_parquet_table(path: Path, source: str, options: ReadingOptions, folder: Path) -> Table:
    """A whole table, and how it was understood."""
    with _connected(source, options, folder) as connection:
        typed, told = _columns(connection, path)
        if not typed:
            raise InputError(f"{source}: expected columns of numbers, dates or text, got none.")
        columns, notes = _read(connection, f"read_parquet({quoted(str(path))})", typed, source, options)
    columns, booleans = with_booleans(columns)
    table = Table(
        tuple(columns), Reading(source, "Parquet", (*told, *notes, *booleans), nulls_given=options.nulls.sorted)
    )
    if table.n_rows == 0:
        raise InputError(f"{source}: expected rows, got none.")
    return table


def read_parquet_batches(
    path: Path, source: str, schema: Schema, keep: tuple[str, ...], rows: int, options: ReadingOptions, folder: Path
) -> Iterator[Table]:
    """Tables of so many rows, with the columns of a schema and those to keep."""
    kinds = wanted(schema, keep)
    rules = Rules(options.nulls, day_first=options.day_first)
    with _connected(source, options, folder) as connection:
        typed, _ = _columns(connection, path)
        by_name = {column.name: column for column in typed}
        check_columns(kinds, list(by_name), source)
        chosen = [by_name[name] for name in kinds]
        reading = Reading(source, "Parquet")
        n_rows = connection.execute(f"SELECT count(*) FROM read_parquet({quoted(str(path))})").fetchone()[0]
        for first in range(0, n_rows, rows):
            part = (
                f"(SELECT * FROM read_parquet({quoted(str(path))}, file_row_number=true) "
                f"WHERE file_row_number >= {first} AND file_row_number < {first + rows})"
            )
            columns, _ = _read(connection, part, chosen, source, options, first, whole=False)
            yield cast_table(Table(tuple(columns), reading), schema, keep, rules, first_row=first)


def _connected(source: str, options: ReadingOptions, folder: Path) -> AbstractContextManager[Any]:
    return within(
        source,
        memory=options.memory,
        threads=options.threads,
        spill=str(folder),
        explain=lambda: InputError(
            f"{source}: this Parquet file is damaged or cut off. Get it again, or save it anew."
        ),
    )


def _columns(connection: Any, path: Path) -> tuple[list[_Typed], list[str]]:
    """The columns of a file, and a word on those that no table can have."""
    typed, told = [], []
    for name, type_name, *_ in connection.execute(
        f"DESCRIBE SELECT * FROM read_parquet({quoted(str(path))})"
    ).fetchall():
        kind = _kind(type_name)
        if kind is None:
            told.append(
                f"Column {name!r} holds {type_name.split('(')[0]} values, no numbers, dates or text, and is left out."
            )
        else:
            typed.append(_Typed(name, kind, type_name))
    return typed, told


def _kind(type_name: str) -> ColumnKind | None:
    if type_name.endswith("]"):
        return None
    plain = type_name.split("(")[0]
    if plain in (*_WHOLE, *_LARGE, *_REAL):
        return ColumnKind.NUMBER
    if plain == "BOOLEAN":
        return ColumnKind.BOOLEAN
    if plain == "DATE" or plain.startswith("TIMESTAMP"):
        return ColumnKind.DATE
    return ColumnKind.TEXT if plain in _TEXT else None


def _read(
    connection: Any,
    source: str,
    typed: Sequence[_Typed],
    name: str,
    options: ReadingOptions,
    first_row: int = 0,
    *,
    whole: bool = True,
) -> tuple[list[Column], list[str]]:
    """The columns of a source, which is the text of a FROM clause."""
    told: list[str] = []
    inexact = _inexact(connection, source, typed) if whole else set()
    told += [
        f"Column {column!r} has whole numbers beyond what float64 holds, and is read as text."
        for column in sorted(inexact)
    ]
    texts = [one.name for one in typed if one.kind is ColumnKind.TEXT or one.name in inexact]
    others = [one for one in typed if one.name not in texts]
    found: dict[str, NDArray[Any]] = {}
    if others:
        query = ", ".join(f"{_expression(one)} AS v{place}" for place, one in enumerate(others))
        fetched = connection.execute(f"SELECT {query} FROM {source}").fetchnumpy()
        found = {one.name: np.asarray(fetched[f"v{place}"]) for place, one in enumerate(others)}
    as_text = ", ".join(f"{identifier(text)}::VARCHAR AS {identifier(text)}" for text in texts)
    cells = read_cells(connection, f"(SELECT {as_text} FROM {source})", texts, ".", texts=texts) if texts else []
    words = {text: some.rest.without(options.nulls.holds) for text, some in zip(texts, cells, strict=True)}
    nulls = {word for some in cells for word in some.rest.words if options.nulls.holds(word)}
    if nulls:
        told.append(f"Words taken for missing values: {', '.join(map(repr, sorted(nulls)))}.")
    columns = []
    for one in typed:
        if one.name in words:
            columns.append(Column(one.name, ColumnKind.TEXT, words[one.name].codes, words[one.name].words))
        else:
            columns.append(_column(one, found[one.name], name, first_row).without_numbers(options.nulls.numbers))
    return columns, told


def _inexact(connection: Any, source: str, typed: Sequence[_Typed]) -> set[str]:
    """Columns of whole numbers some of which float64 would change."""
    large = [one.name for one in typed if one.type in _LARGE]
    if not large:
        return set()
    counts = ", ".join(
        f"count(*) FILTER (WHERE TRY_CAST({column}::DOUBLE AS HUGEINT) IS DISTINCT FROM {column}::HUGEINT)"
        for column in map(identifier, large)
    )
    found = connection.execute(f"SELECT {counts} FROM {source}").fetchone()
    return {name for name, count in zip(large, found, strict=True) if count}


def _expression(one: _Typed) -> str:
    column = identifier(one.name)
    if one.kind is ColumnKind.DATE:
        return f"coalesce(epoch_us({column}), {np.iinfo(np.int64).min})"
    return f"coalesce({column}::DOUBLE, 'nan'::DOUBLE)"


def _column(one: _Typed, values: NDArray[Any], source: str, first_row: int) -> Column:
    if one.kind is ColumnKind.DATE:
        return Column(one.name, one.kind, values.astype(np.int64).view("datetime64[us]"))
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise InputError(
            f"{source}, row {first_row + row + 1}: expected a finite number in column {one.name!r}, got {values[row]}. "
            "Put a number there, or none if the value is missing."
        )
    words = ("false", "true") if one.kind is ColumnKind.BOOLEAN else ()
    return Column(one.name, one.kind, values.astype(np.float64), words)
