"""Columns of whole numbers in steps, such as hours of the day: a number, and a feature for each step as well.

Scaled to deviation 1, twenty-four hours lie so near to each other that a smooth kernel tells nothing of one hour that
it does not tell of the next; with a feature each, it can, and from the number it still learns what holds of later and
later hours. On the hours of bike-sharing-hour the share of the variance that a tuned regression explains goes from 0.56
to 0.91. Up to a dozen steps are far enough apart as they are: there, the features only cost (credit-g, titanic).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.tables import plain_fields
from mercer.tables.column_code import Surprises
from mercer.tables.number_code import NumberCode
from mercer.tables.table import Column
from mercer.typing import Floats

__all__ = ["StepCode"]

# How many steps have features: more than a dozen, and no more than categories have.
_FEWEST, _MOST = 13, 40
# Whole numbers up to here are exact.
_EXACT = 2**53


@dataclass(frozen=True)
class StepCode(NumberCode):
    """The number as `NumberCode` has it, and for each of `n_steps` whole numbers from `first` on whether it is that.

    Attributes
    ----------
    first : int
        The least whole number.
    n_steps : int
        How many there are.
    """

    code: ClassVar[str] = "steps"

    first: int
    n_steps: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("first", plain_fields.count, -_EXACT, _EXACT)
        self._checked("n_steps", plain_fields.count, _FEWEST, _MOST)

    @classmethod
    def of_steps(cls, column: Column, number: NumberCode, least_rows: int) -> Self | None:
        """The code of a column whose values are whole numbers without a gap, with enough rows a step; None of others.

        `number` is its code as a number.
        """
        given = column.values[~column.missing]
        first, last = float(given.min()), float(given.max())
        count = last - first + 1
        if not _FEWEST <= count <= _MOST or abs(first) > _EXACT or len(given) < least_rows * count:
            return None
        steps = np.unique(given)
        if first != round(first) or not np.array_equal(steps, np.arange(first, last + 1)):
            return None
        note = f"{int(count)} whole numbers without a gap: a feature for each, beside the number itself"
        return cls(
            number.name, note, number.fill, number.mean, number.scale, number.has_indicator, int(first), int(count)
        )

    @property
    def feature_names(self) -> tuple[str, ...]:
        steps = range(self.first, self.first + self.n_steps)
        return (*super().feature_names, *(f"{self.name} = {step}" for step in steps))

    def encode(self, column: Column, out: Floats) -> Surprises:
        found = super().encode(column, out)
        others = 2 if self.has_indicator else 1
        step = column.values - self.first  # NaN where missing
        rows = np.flatnonzero((step >= 0) & (step < self.n_steps) & (step == np.floor(step)))
        out[rows, others + step[rows].astype(np.int64)] = 1.0
        return found
