"""Cells of which it is known what they are, read as that: quicker than as text, where nothing unusual is there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from mercer.tables.cells import Cells, words_of
from mercer.tables.words import Words

__all__ = ["read_plain_cells"]


def read_plain_cells(
    connection: Any, source: str, content: bytes, columns: Sequence[str], texts: Collection[str]
) -> list[Cells] | None:
    """The cells of columns, those that are not texts being numbers; None where they must be looked at one by one.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    source : str
        What follows FROM in SQL, with DOUBLE for the columns of numbers.
    content : bytes
        What is read, for signs that the database and we read differently.
    columns : sequence of str
    texts : collection of str
        Columns that are no numbers.
    """
    import duckdb

    # The database reads 1_000 and +-1 as numbers. To look for one byte takes no time, for two it does.
    if b"_" in content or (b"+" in content and b"+-" in content):
        return None
    asked = ", ".join(f"{f'trim({name})' if name in texts else name} AS v{place}" for place, name in enumerate(columns))
    try:
        found = connection.execute(f"SELECT {asked} FROM {source}").fetchnumpy()
    except (duckdb.ConversionException, duckdb.InvalidInputException):
        return None
    cells = []
    for place, name in enumerate(columns):
        values = found[f"v{place}"]
        if name in texts:
            words = words_of(values)
            cells.append(Cells(np.full(len(words.codes), np.nan), words))
            continue
        if not np.isfinite(np.ma.compressed(values)).all():
            return None
        numbers = np.ma.filled(values, np.nan)
        cells.append(Cells(numbers, Words((), np.full(len(numbers), -1, dtype=np.int32))))
    return cells
