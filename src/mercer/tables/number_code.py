"""Columns of numbers: missing ones filled, then scaled to mean 0 and deviation 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.errors import InputError
from mercer.tables import plain_fields
from mercer.tables.column_code import ColumnCode, Surprises
from mercer.tables.table import Column, ColumnKind
from mercer.typing import Floats

__all__ = ["NumberCode", "within_reach"]

# Deviations from the mean beyond which a new value counts as being there: squares of it are finite in float32 as well.
# No training value is as far off, of n at most √n deviations.
_REACH = 1e6


@dataclass(frozen=True)
class NumberCode(ColumnCode):
    """(x − mean) / scale; where training rows had no value, a second feature is 1 where it is missing.

    Attributes
    ----------
    fill : float
        What stands for a missing value: the median of the training rows, which long tails do not move.
    mean, scale : float
        Mean and standard deviation of the training rows that have a value.
    has_indicator : bool
        Whether there is the second feature.
    """

    code: ClassVar[str] = "number"

    fill: float
    mean: float
    scale: float
    has_indicator: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("fill", plain_fields.number)
        self._checked("mean", plain_fields.number)
        self._checked("scale", plain_fields.positive)
        self._checked("has_indicator", plain_fields.flag)

    @classmethod
    def learn(cls, column: Column) -> Self | None:
        """From a column with different numbers; None where their deviation is too small for a number."""
        missing = column.missing
        given = column.values[~missing]
        _check_finite(column)
        # A power of two, so that nothing is rounded: sums and squares of shares neither overflow nor vanish.
        unit = math.ldexp(1.0, math.frexp(float(np.abs(given).max()))[1] - 1)
        shares = given / unit
        scale = float(shares.std()) * unit
        if not scale > 0:
            return None
        fill, mean = float(np.median(shares)) * unit, float(shares.mean()) * unit
        return cls(column.name, "", fill, mean, scale, bool(missing.any()))

    @property
    def column_kind(self) -> ColumnKind:
        return ColumnKind.NUMBER

    @property
    def feature_names(self) -> tuple[str, ...]:
        return (self.name, f"{self.name} (missing)") if self.has_indicator else (self.name,)

    def encode(self, column: Column, out: Floats) -> Surprises:
        _check_finite(column)
        missing = column.missing
        with np.errstate(over="ignore"):
            out[:, 0] = within_reach((np.where(missing, self.fill, column.values) - self.mean) / self.scale)
        if self.has_indicator:
            out[:, 1] = missing
            return Surprises()
        return Surprises(missing=int(np.count_nonzero(missing)))


def within_reach(scaled: Floats) -> Floats:
    """Scaled values, with those that are absurdly far off brought to where squared distances are finite numbers."""
    return np.asarray(np.clip(scaled, -_REACH, _REACH))


def _check_finite(column: Column) -> None:
    infinite = np.isinf(column.values)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise InputError(
            f"Column {column.name!r}: expected finite numbers, got {column.values[row]} in row {row + 1}. Leave "
            "the row out, or write the value as missing."
        )
