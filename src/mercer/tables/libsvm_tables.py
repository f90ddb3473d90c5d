"""LIBSVM data as a table: a column `target`, and `feature1`, `feature2`, … with zeros where a line names no value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from mercer.data.libsvm_data import load_libsvm
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
    data = load_libsvm(path, zero_based=False, name=source)
    count, width = data.X.shape
    if not count:
        raise InputError(f"{source}: expected lines of LIBSVM data, got none.")
    if width * count > _MOST_VALUES:
        raise InputError(
            f"{source}: {count:,} rows of {width:,} features are too many for a table. Read it as a sparse "
            "matrix (mercer.io.load_libsvm)."
        )
    dense = np.ascontiguousarray(data.X.toarray().T)
    named = [Column(f"feature{place + 1}", ColumnKind.NUMBER, dense[place]) for place in range(width)]
    told = (
        f"LIBSVM data: the column {TARGET!r} and {width:,} {'feature' if width == 1 else 'features'}, zero where a "
        "line names none.",
    )
    return Table((Column(TARGET, ColumnKind.NUMBER, data.y), *named), Reading(source, "LIBSVM", told))


def with_features(table: Table, schema: Schema | Iterable[tuple[str, ColumnKind]]) -> Table:
    """The table with a column of zeros for each feature that a model knows and no line of the file names."""
    absent = [name for name, _ in schema if name not in table and _FEATURE.fullmatch(name)]
    zeros = tuple(Column(name, ColumnKind.NUMBER, np.zeros(table.n_rows)) for name in absent)
    return Table((*table.columns, *zeros), table.reading)
