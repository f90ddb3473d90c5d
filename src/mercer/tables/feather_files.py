"""Feather files, which are Arrow's, into tables; read by pyarrow where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mercer.errors import InputError, MissingPackageError
from mercer.tables.booleans import with_booleans
from mercer.tables.casting import Schema, cast_table
from mercer.tables.frames import columns_of_frame
from mercer.tables.options import ReadingOptions
from mercer.tables.table import Column, ColumnKind, Reading, Table
from mercer.tables.understanding import Rules
from mercer.tables.words import Words

__all__ = ["read_feather_table", "read_feather_batches"]


def read_feather_table(path: Path, source: str, options: ReadingOptions) -> Table:
    """A whole table, and how it was understood."""
    with _opened(path, source) as reader:
        frame = reader.read_all()
        # Offsets of a damaged file may point anywhere.
        frame.validate(full=True)
        if frame.num_rows == 0:
            raise InputError(f"{source}: expected rows, got none.")
        table, told = _tidied(_named(frame, source), options)
    columns, notes = with_booleans(table.columns)
    return Table(tuple(columns), Reading(source, "Feather", (*told, *notes), nulls_given=options.nulls.sorted))


def read_feather_batches(
    path: Path, source: str, schema: Schema, keep: tuple[str, ...], rows: int, options: ReadingOptions
) -> Iterator[Table]:
    """Tables of at most so many rows, with the columns of a schema and those to keep."""
    rules = Rules(options.nulls, day_first=options.day_first)
    reading, first = Reading(source, "Feather"), 0
    with _opened(path, source) as reader:
        for batch in _batches(reader):
            batch.validate(full=True)
            for start in range(0, batch.num_rows, rows):
                table, _ = _tidied(_named(batch.slice(start, rows), source), options)
                yield cast_table(Table(table.columns, reading), schema, keep, rules, first_row=first)
                first += table.n_rows


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        return (reader.get_batch(place) for place in range(reader.num_record_batches))
    return iter(reader)


def _named(frame: Any, source: str) -> Table:
    """The table of a frame, errors of which name the file."""
    try:
        return columns_of_frame(frame)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


@contextmanager
def _opened(path: Path, source: str) -> Iterator[Any]:
    """A reader of the file for as long as it is read; what it complains of becomes an `InputError`."""
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError:
        raise MissingPackageError(
            f"{source}: expected the package pyarrow, which reads Feather files and is not installed. Install it: "
            "pip install pyarrow, or save the table as Parquet.",
            name="pyarrow",
        ) from None
    try:
        with path.open("rb") as file:
            is_file = file.read(6) == b"ARROW1"
        mapped = pyarrow.memory_map(str(path))
        with ipc.open_file(mapped) if is_file else ipc.open_stream(mapped) as reader:
            yield reader
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"{source}: this Feather file cannot be read ({error}). Get it again, or save it as Parquet."
        ) from None


def _tidied(table: Table, options: ReadingOptions) -> tuple[Table, list[str]]:
    """The table with blanks stripped off its texts and words for missing values taken for such, as in other files."""
    nulls: set[str] = set()
    columns = []
    for column in table.columns:
        if column.kind is ColumnKind.TEXT:
            words = Words(column.words, column.values).stripped(" \t\r\n")
            nulls |= {word for word in words.words if options.nulls.holds(word)}
            clean = words.without(options.nulls.holds)
            columns.append(Column(column.name, column.kind, clean.codes, clean.words))
        else:
            columns.append(column.without_numbers(options.nulls.numbers))
    told = [f"Words taken for missing values: {', '.join(map(repr, sorted(nulls)))}."] if nulls else []
    return Table(tuple(columns), table.reading), told
