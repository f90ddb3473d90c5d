"""Columns of dates: how late, and where in the year, the week and the day.

A part is a point on the unit circle, (sin 2πt, cos 2πt), so that December is next to January; two random points are as
far apart on average as two values of a number of deviation 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.errors import InputError
from mercer.tables import plain_fields
from mercer.tables.column_code import ColumnCode, Surprises
from mercer.tables.number_code import within_reach
from mercer.tables.table import Column, ColumnKind
from mercer.typing import Floats

__all__ = ["CYCLES", "DateCode"]

#: Days in a cycle, by its name. The year is the mean one of the calendar, whose years stray from it by some two days.
CYCLES = {"year": 365.2425, "week": 7.0, "day": 1.0}

_MICROSECONDS_PER_DAY = 86_400_000_000
# One less the length of the mean point on the circle: of a year, that of dates which spread by some three days.
_LEAST_SPREAD = 1e-3


@dataclass(frozen=True)
class DateCode(ColumnCode):
    """Days, scaled, and the cycles that varied in training; missing dates are zeros, with an indicator.

    Attributes
    ----------
    mean, scale : float
        Of the training rows' days since 1970-01-01.
    cycles : tuple of str
        Among "year", "week" and "day", in this order.
    has_indicator : bool
        Whether a last feature is 1 where the date is missing.
    """

    code: ClassVar[str] = "date"

    mean: float
    scale: float
    cycles: tuple[str, ...]
    has_indicator: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("mean", plain_fields.number)
        self._checked("scale", plain_fields.positive)
        self._checked("cycles", plain_fields.texts)
        self._checked("has_indicator", plain_fields.flag)
        if self.cycles != tuple(name for name in CYCLES if name in self.cycles):
            raise InputError(
                f"Column {self.name!r}, cycles: expected some of {list(CYCLES)} in this order, got others."
            )

    @classmethod
    def learn(cls, column: Column) -> Self | None:
        """From a column that has different dates; None where these are too near to each other for a number."""
        missing = column.missing
        days = days_since_1970(column.values[~missing])
        scale = float(days.std())
        if not scale > 0:
            return None
        cycles = tuple(name for name in CYCLES if _spread(days, name) > _LEAST_SPREAD)
        return cls(column.name, "", float(days.mean()), scale, cycles, bool(missing.any()))

    @property
    def column_kind(self) -> ColumnKind:
        return ColumnKind.DATE

    @property
    def feature_names(self) -> tuple[str, ...]:
        parts = [f"{part} of the {cycle}" for cycle in self.cycles for part in ("sine", "cosine")]
        return tuple(f"{self.name} ({part})" for part in ["days", *parts, *(["missing"] * self.has_indicator)])

    def encode(self, column: Column, out: Floats) -> Surprises:
        missing = column.missing
        given = ~missing
        days = days_since_1970(column.values[given])
        out[given, 0] = within_reach((days - self.mean) / self.scale)
        for place, cycle in enumerate(self.cycles):
            angle = _angle(days, cycle)
            out[given, 2 * place + 1] = np.sin(angle)
            out[given, 2 * place + 2] = np.cos(angle)
        if self.has_indicator:
            out[:, -1] = missing
            return Surprises()
        return Surprises(missing=int(np.count_nonzero(missing)))


def days_since_1970(dates: object) -> Floats:
    """Days, with their fractions."""
    moments = np.asarray(dates).astype("datetime64[us]").astype(np.int64)
    return np.asarray(moments / _MICROSECONDS_PER_DAY)


def _angle(days: Floats, cycle: str) -> Floats:
    """Where in the cycle, in [0, 2π): of the year and the week which day, of the day what time."""
    whole = np.floor(days)
    since = days - whole if cycle == "day" else np.mod(whole, CYCLES[cycle])
    return np.asarray(2 * np.pi * since / CYCLES[cycle])


def _spread(days: Floats, cycle: str) -> float:
    """How far the points are spread over the circle, from 0 (all in one place) to 1."""
    angle = _angle(days, cycle)
    return 1 - float(np.hypot(np.sin(angle).mean(), np.cos(angle).mean()))
