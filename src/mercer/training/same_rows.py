"""Rows of one table that another has too, value by value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables import Column, ColumnKind, Table
from mercer.typing import Floats

__all__ = ["count_seen"]


def count_seen(train: Table, test: Table) -> int:
    """How many rows of the second table are rows of the first in every column that both have."""
    names = [name for name in train.names if name in test.names]
    pairs = [_alike(train[name], test[name]) for name in names]
    # Bytes, so that missing values are equal to each other.
    known = {row.tobytes() for row in _matrix([one for one, _ in pairs])}
    return sum(row.tobytes() in known for row in _matrix([one for _, one in pairs]))


def _matrix(columns: list[Floats]) -> Floats:
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _alike(first: Column, second: Column) -> tuple[Floats, Floats]:
    """The values of two columns as numbers that are the same, to the bit, where the values are."""
    if first.kind is second.kind is ColumnKind.NUMBER:
        return _number(first.values), _number(second.values)
    if first.kind is second.kind is ColumnKind.DATE:
        return first.values.astype(np.int64).view(np.float64), second.values.astype(np.int64).view(np.float64)
    codes: dict[str | None, int] = {}
    return _coded(first, codes), _coded(second, codes)


def _number(values: NDArray[Any]) -> Floats:
    """With one zero and one NaN."""
    return np.where(np.isnan(values), np.nan, values + 0.0)


def _coded(column: Column, codes: dict[str | None, int]) -> Floats:
    return np.array([codes.setdefault(text, len(codes)) for text in column.texts()], dtype=np.float64)
