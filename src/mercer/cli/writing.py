"""Columns written piece by piece: CSV, JSON lines, Parquet; to a file all at once or not at all, or as they come."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import click

__all__ = ["open_writer"]

Columns = Mapping[str, Any]
Writer = Callable[[Columns], None]

# Cells that a CSV reader would take for something else without quotes.
_SPECIAL = ('"', "\n", "\r")


@contextmanager
def open_writer(path: Path | None, form: str) -> Iterator[Writer]:
    """Writes columns, of which all pieces have the same; a file appears when all of it is there."""
    if path is None:
        if form == "parquet":
            raise click.UsageError(
                "--format parquet: expected a file to write to, got standard output. Name one: -o FILE"
            )
        yield _writer(sys.stdout, form)
        sys.stdout.flush()
        return
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        if form == "parquet":
            with _parquet(unfinished) as write:
                yield write
        else:
            with open(unfinished, "w", encoding="utf-8", newline="") as file:
                yield _writer(file, form)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _writer(file: TextIO, form: str) -> Writer:
    return _json_lines(file) if form == "jsonl" else _csv(file, "\t" if form == "tsv" else ",")


def _csv(file: TextIO, separator: str) -> Writer:
    is_first = True

    def write(columns: Columns) -> None:
        nonlocal is_first
        if is_first:
            file.write(separator.join(_cell(name, separator) for name in columns) + "\n")
            is_first = False
        cells = [_texts(values, separator) for values in columns.values()]
        lines = cells[0] if len(cells) == 1 else map(separator.join, zip(*cells, strict=True))
        file.write("".join([f"{line}\n" for line in lines]))

    return write


def _texts(values: Any, separator: str) -> list[str]:
    """The cells of a column. Different texts are few, and each is looked at once."""
    plain = values.tolist() if hasattr(values, "tolist") else list(values)
    if plain and isinstance(plain[0], float):
        return list(map(repr, plain))
    known = {value: _cell(value, separator) for value in set(plain)}
    return [known[value] for value in plain]


def _cell(value: Any, separator: str) -> str:
    text = "" if value is None else str(value)
    if separator not in text and not any(mark in text for mark in _SPECIAL):
        return text
    quoted = io.StringIO()
    csv.writer(quoted, delimiter=separator, lineterminator="").writerow([text])
    return quoted.getvalue()


def _json_lines(file: TextIO) -> Writer:
    def write(columns: Columns) -> None:
        names = list(columns)
        lists = [values.tolist() if hasattr(values, "tolist") else list(values) for values in columns.values()]
        file.writelines(
            json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n"
            for row in zip(*lists, strict=True)
        )

    return write


@contextmanager
def _parquet(path: Path) -> Iterator[Writer]:
    """By DuckDB, which keeps what does not fit memory in a file of its own until all is there."""
    import duckdb

    with TemporaryDirectory(dir=path.parent) as folder, duckdb.connect(str(Path(folder) / "rows")) as connection:
        is_made = False

        def write(columns: Columns) -> None:
            nonlocal is_made
            import numpy as np

            batch = {name: np.asarray(values) for name, values in columns.items()}
            connection.register("batch", batch)
            connection.execute("INSERT INTO made SELECT * FROM batch" if is_made else "CREATE TABLE made AS FROM batch")
            connection.unregister("batch")
            is_made = True

        yield write
        quoted = str(path).replace("'", "''")
        connection.execute(f"COPY made TO '{quoted}' (FORMAT parquet)")
