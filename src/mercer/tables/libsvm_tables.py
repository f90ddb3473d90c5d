"""LIBSVM data as a table: a column `target`, and `feature1`, `feature2`, … with zeros where a line names no value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from mercer.errors import InputError
from mercer.tables.casting import Schema
from mercer.tables.table import Column, ColumnKind, Reading, Table

__all__ = ["TARGET", "read_libsvm_table", "with_features"]

#: The name of the first column.
TARGET = "target"
_FEATURE = re.compile(r"feature[1-9][0-9]*")
#: A table is dense; more values than this are better read as a sparse matrix.
_MOST_VALUES = 100_000_000


def read_libsvm_table(path: Path, source: str) -> Table:
    """The table of a file; a wrong line is refused."""
    labels: list[float] = []
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    with path.open("r", encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file, 1):
            fields = text.partition("#")[0].split()
            if not fields:
                continue
            where = f"{source}, line {number}"
            labels.append(_number(fields[0], where, "a label that is a number"))
            before = 0
            for field in fields[1:]:
                index, sign, value = field.partition(":")
                if index == "qid":
                    continue
                if not sign or not index.isdecimal() or int(index) <= before:
                    raise InputError(
                        f"{where}: expected index:value with indices from 1 that grow, got {field!r}. Mend the line."
                    )
                before = int(index)
                rows.append(len(labels) - 1)
                columns.append(before - 1)
                values.append(_number(value, where, "a value that is a number"))
    if not labels:
        raise InputError(f"{source}: expected lines of LIBSVM data, got none.")
    width = max(columns, default=-1) + 1
    if width * len(labels) > _MOST_VALUES:
        raise InputError(
            f"{source}: {len(labels):,} rows of {width:,} features are too many for a table. Read it as a sparse "
            "matrix (mercer.io.load_libsvm)."
        )
    dense = np.zeros((width, len(labels)))
    dense[columns, rows] = values
    named = [Column(f"feature{place + 1}", ColumnKind.NUMBER, dense[place]) for place in range(width)]
    told = (
        f"LIBSVM data: the column {TARGET!r} and {width:,} {'feature' if width == 1 else 'features'}, zero where a "
        "line names none.",
    )
    return Table((Column(TARGET, ColumnKind.NUMBER, np.array(labels)), *named), Reading(source, "LIBSVM", told))


def with_features(table: Table, schema: Schema | Iterable[tuple[str, ColumnKind]]) -> Table:
    """The table with a column of zeros for each feature that a model knows and no line of the file names."""
    absent = [name for name, _ in schema if name not in table and _FEATURE.fullmatch(name)]
    zeros = tuple(Column(name, ColumnKind.NUMBER, np.zeros(table.n_rows)) for name in absent)
    return Table((*table.columns, *zeros), table.reading)


def _number(text: str, where: str, expected: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.inf
    if not np.isfinite(value):
        hint = " Several labels for one row are not read." if "," in text else " Mend the line."
        raise InputError(f"{where}: expected {expected}, got {text!r}.{hint}")
    return value
