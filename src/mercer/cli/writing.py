"""Columns written piece by piece: CSV, JSON, Parquet; to a file all at once or not at all, or as they come."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import click
import numpy as np

from mercer._runtime import available_threads, core
from mercer.data.written_text import opened_for_writing
from mercer.typing import Floats

__all__ = ["open_writer"]

#: Arrays or lists by the names of columns. A tuple in a list is a set of texts.
Columns = Mapping[str, Any]
Writer = Callable[[Columns], None]
# Texts of the values of a column, from a function that writes one of them.
Cell = Callable[[Any], str]

# Cells that a CSV reader would take for something else without quotes.
_SPECIAL = ('"', "\n", "\r")
# What stands between the members of a set where a cell is a text.
_BETWEEN = "|"
# What DuckDB may hold of a Parquet file before it is written, whatever its size.
_PARQUET_MEMORY = "500MB"


@contextmanager
def open_writer(path: Path | None, form: str) -> Iterator[Writer]:
    """Writes columns, of which all pieces have the same; a file appears when all of it is there.

    Parameters
    ----------
    path : Path or None
        None, or `-`, is standard output. Endings .gz, .bz2 and .xz compress.
    form : {"csv", "tsv", "json", "jsonl", "parquet"}
    """
    is_output = path is None or str(path) == "-"
    if form == "parquet":
        if path is None or is_output:
            raise click.UsageError("--format parquet: expected a file to write to, got standard output: -o FILE")
        with _parquet(path) as write:
            yield write
        return
    with opened_for_writing("-" if path is None or is_output else path) as file:
        if form == "json":
            with _json_array(file) as write:
                yield write
        else:
            yield _json_lines(file) if form == "jsonl" else _csv(file, "\t" if form == "tsv" else ",")


# ---------------------------------------------------------------- text


def _csv(file: IO[bytes], separator: str) -> Writer:
    is_first = True

    def cell(value: Any) -> str:
        return _csv_cell(value, separator)

    def write(columns: Columns) -> None:
        nonlocal is_first
        if is_first:
            file.write((separator.join(map(cell, columns)) + "\n").encode())
            is_first = False
        cells = [_texts(values, cell) for values in columns.values()]
        lines = cells[0] if len(cells) == 1 else map(separator.join, zip(*cells, strict=True))
        _write_lines(file, lines, "\n")

    return write


def _csv_cell(value: Any, separator: str) -> str:
    text = _text(value)
    if separator not in text and not any(mark in text for mark in _SPECIAL):
        return text
    quoted = io.StringIO()
    csv.writer(quoted, delimiter=separator, lineterminator="").writerow([text])
    return quoted.getvalue()


def _text(value: Any) -> str:
    if isinstance(value, float) and value != value:
        return ""
    return "" if value is None else _BETWEEN.join(value) if isinstance(value, tuple) else str(value)


def _json_lines(file: IO[bytes]) -> Writer:
    def write(columns: Columns) -> None:
        _write_lines(file, _json_rows(columns), "\n")

    return write


@contextmanager
def _json_array(file: IO[bytes]) -> Iterator[Writer]:
    before = "[\n"

    def write(columns: Columns) -> None:
        nonlocal before
        if rows := _json_rows(columns):
            file.write((before + ",\n".join(rows)).encode())
            before = ",\n"

    yield write
    file.write(b"[]\n" if before == "[\n" else b"\n]\n")


def _json_rows(columns: Columns) -> list[str]:
    """Each row as an object of JSON."""
    row = "{" + ", ".join(f"{json.dumps(name, ensure_ascii=False)}: ".replace("%", "%%") + "%s" for name in columns)
    cells = (_texts(values, _json_cell) for values in columns.values())
    return list(map((row + "}").__mod__, zip(*cells, strict=True)))


def _json_cell(value: Any) -> str:
    is_number = not isinstance(value, float) or np.isfinite(value)
    return json.dumps(value, ensure_ascii=False) if is_number else "null"


def _texts(values: Any, cell: Cell) -> list[str]:
    """The cells of a column. Different texts are few, and each is looked at once."""
    if isinstance(values, np.ndarray) and values.dtype == np.float64 and np.isfinite(values).all():
        return _numerals(values)
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    known = {value: cell(value) for value in set(plain)}
    return [known[value] for value in plain]


def _numerals(values: Floats) -> list[str]:
    """Numbers in the fewest digits that tell them from all others: by the core, as labels of rows without features."""
    rows = len(values)
    no_features = core.Data.dense(np.zeros((rows, 0)))
    lines = core.libsvm_lines(no_features, np.ascontiguousarray(values), None, False, 0, rows, available_threads())
    return bytes(lines).decode().split("\n")[:rows]


def _write_lines(file: IO[bytes], lines: Any, end: str) -> None:
    if text := end.join(lines):
        file.write((text + end).encode())


# ---------------------------------------------------------------- Parquet


@contextmanager
def _parquet(path: Path) -> Iterator[Writer]:
    """By DuckDB, which keeps what does not fit memory in a file of its own until all is there."""
    import duckdb

    try:
        folder = TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    with folder as name, duckdb.connect(str(Path(name) / "rows")) as connection:
        connection.execute(f"SET memory_limit = '{_PARQUET_MEMORY}'")
        is_made = False

        def write(columns: Columns) -> None:
            nonlocal is_made
            kept = {f"c{place}": _array(values) for place, values in enumerate(columns.values())}
            connection.register("batch", kept)
            typed = ", ".join(_typed(*one) for one in zip(kept, columns, kept.values(), strict=True))
            query = f"SELECT {typed} FROM batch"
            connection.execute(f"INSERT INTO made {query}" if is_made else f"CREATE TABLE made AS {query}")
            connection.unregister("batch")
            is_made = True

        try:
            yield write
            made = Path(name) / "made"
            connection.execute(f"COPY made TO '{str(made).replace(chr(39), 2 * chr(39))}' (FORMAT parquet)")
        except duckdb.IOException as error:
            raise OSError(errno.EIO, str(error).splitlines()[0], str(path)) from error
        os.replace(made, path)


def _array(values: Any) -> Any:
    is_text = not isinstance(values, np.ndarray) or values.dtype == object
    return np.array([None if one is None else _text(one) for one in values], dtype=object) if is_text else values


def _typed(kept: str, name: str, values: Any) -> str:
    quoted = name.replace('"', '""')
    # A column without rows has no type of its own.
    return f'{kept}{"::VARCHAR" if values.dtype == object else ""} AS "{quoted}"'
