"""Columns that no feature is made of, and columns of which only whether they have a value is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from mercer.errors import InputError
from mercer.tables.column_code import ColumnCode, Surprises
from mercer.tables.table import Column, ColumnKind
from mercer.typing import Floats

__all__ = ["LeftOut", "PresenceCode"]


@dataclass(frozen=True)
class _AnyKind(ColumnCode):
    """A code of columns of whatever kind."""

    kind: ColumnKind

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("kind", _kind)

    @property
    def column_kind(self) -> ColumnKind:
        return self.kind


@dataclass(frozen=True)
class LeftOut(_AnyKind):
    """No feature; new tables need not have the column. The note says why."""

    code: ClassVar[str] = "left out"

    @property
    def reason(self) -> str:
        """Why it is left out."""
        return self.note

    @property
    def feature_names(self) -> tuple[str, ...]:
        return ()

    def encode(self, column: Column, out: Floats) -> Surprises:
        return Surprises()


@dataclass(frozen=True)
class PresenceCode(_AnyKind):
    """One feature: 1 where the column has no value. Its values tell nothing, but that they are there may."""

    code: ClassVar[str] = "presence"

    @property
    def feature_names(self) -> tuple[str, ...]:
        return (f"{self.name} (missing)",)

    def encode(self, column: Column, out: Floats) -> Surprises:
        out[:, 0] = column.missing
        return Surprises()


def _kind(place: str, value: Any) -> ColumnKind:
    try:
        return ColumnKind(value)
    except ValueError:
        raise InputError(
            f"{place}: expected one of {[kind.value for kind in ColumnKind]}, got {value!r:.60}."
        ) from None
