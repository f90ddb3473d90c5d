"""Numbers far from all others of their column: errors, or codes for missing values such as -999."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.tables import Column, ColumnKind

__all__ = ["Far", "far_values"]

# Values farther than so many interquartile ranges from the quartiles are outliers; long tails seldom reach there.
_RANGES = 20.0
# Of more rows than this share being far away, none is an outlier.
_MOST = 0.05
# Columns of fewer values, or fewer different ones, have no middle to be far from.
_FEWEST, _FEWEST_DISTINCT = 20, 8
# Numbers that people write where there is none, by their size, and how far from the others, as a share of their range,
# one that comes again lies where it is no outlier.
_GAP = 0.5
_CODES = (99.0, 999.0, 9999.0, 99999.0, 999999.0)


@dataclass(frozen=True)
class Far:
    """The values of a column that are far from all others.

    Attributes
    ----------
    value : float
        The commonest of them.
    rows : int
        How many rows have one.
    is_code : bool
        Whether the commonest is a number that people write where there is none.
    is_outlier : bool
        Whether it is so far away that it is one whatever it stands for; else it is a code at the end of its column.
    """

    column: str
    value: float
    rows: int
    is_code: bool
    is_outlier: bool

    def __str__(self) -> str:
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return f"{self.column} ({rows}, such as {self.value:g})"


def far_values(column: Column) -> Far | None:
    """What is far from all other numbers of a column; None where nothing is, or the column holds something else."""
    if column.kind is not ColumnKind.NUMBER:
        return None
    values = column.values[~column.missing]
    if len(values) < _FEWEST or len(np.unique(values)) < _FEWEST_DISTINCT:
        return None
    low, high = np.quantile(values, [0.25, 0.75])
    distance = _RANGES * (high - low) if high > low else np.inf
    is_far = (values < low - distance) | (values > high + distance)
    if is_far.any():
        several, counts = np.unique(values[is_far], return_counts=True)
        value = float(several[counts.argmax()])
        is_code = abs(value) in _CODES
        return Far(column.name, value, int(is_far.sum()), is_code, True) if is_code or is_far.mean() <= _MOST else None
    for value in (values.min(), values.max()):
        others = values[values != value]
        rows = len(values) - len(others)
        gap = float(np.abs(others - value).min())
        if abs(value) in _CODES and rows > 1 and gap >= _GAP * np.ptp(others):
            return Far(column.name, float(value), rows, True, False)
    return None
