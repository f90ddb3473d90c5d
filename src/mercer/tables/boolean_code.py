"""Columns of two opposite words: 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.errors import InputError
from mercer.tables import plain_fields
from mercer.tables.column_code import ColumnCode, Surprises
from mercer.tables.table import Column, ColumnKind
from mercer.typing import Floats

__all__ = ["BooleanCode"]


@dataclass(frozen=True)
class BooleanCode(ColumnCode):
    """The value, 0 or 1; where training rows had none, a second feature is 1 where it is missing.

    Attributes
    ----------
    words : (str, str)
        For 0 and for 1, as the training table had them.
    fill : float
        What stands for a missing value: the share of ones among the training rows that have one.
    has_indicator : bool
        Whether there is the second feature.
    """

    code: ClassVar[str] = "boolean"

    words: tuple[str, ...]
    fill: float
    has_indicator: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("words", plain_fields.texts)
        if len(self.words) != 2:
            raise InputError(f"Column {self.name!r}, words: expected two, got {len(self.words)}.")
        self._checked("fill", plain_fields.share)
        self._checked("has_indicator", plain_fields.flag)

    @classmethod
    def learn(cls, column: Column) -> Self:
        """From a column that has both values."""
        missing = column.missing
        return cls(column.name, "", column.words, float(np.mean(column.values[~missing])), bool(missing.any()))

    @property
    def column_kind(self) -> ColumnKind:
        return ColumnKind.BOOLEAN

    @property
    def feature_names(self) -> tuple[str, ...]:
        own = f"{self.name} = {self.words[1]}"
        return (own, f"{self.name} (missing)") if self.has_indicator else (own,)

    def encode(self, column: Column, out: Floats) -> Surprises:
        missing = column.missing
        out[:, 0] = np.where(missing, self.fill, column.values)
        if self.has_indicator:
            out[:, 1] = missing
            return Surprises()
        return Surprises(missing=int(np.count_nonzero(missing)))
