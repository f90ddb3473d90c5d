"""What every code of a column is: how its values become features, learnt from training rows, held as plain values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self

from mercer.errors import InputError
from mercer.tables import plain_fields
from mercer.tables.table import Column, ColumnKind
from mercer.typing import Floats

__all__ = ["ColumnCode", "Surprises"]


class Surprises(NamedTuple):
    """What of a column training has not seen: rows with an unknown category, and rows without a value where training
    had none such."""

    unseen: int = 0
    missing: int = 0


@dataclass(frozen=True)
class ColumnCode(ABC):
    """How the values of one column become numbers.

    Subclasses are frozen dataclasses of plain values, checked when they are made: they may come out of a file.

    Attributes
    ----------
    name : str
        Of the column.
    note : str
        What a person should know about it, in words; empty where there is nothing.
    """

    #: Its name in plain values.
    code: ClassVar[str]

    name: str
    note: str

    def __post_init__(self) -> None:
        plain_fields.text("The name of a column", self.name)
        self._checked("note", plain_fields.text)

    @property
    @abstractmethod
    def column_kind(self) -> ColumnKind:
        """What kind of column it reads."""

    @property
    @abstractmethod
    def feature_names(self) -> tuple[str, ...]:
        """One name a feature."""

    @property
    def n_features(self) -> int:
        """How many numbers become of a value."""
        return len(self.feature_names)

    @abstractmethod
    def encode(self, column: Column, out: Floats) -> Surprises:
        """Writes the features of the column's rows into zeros of shape (rows, n_features)."""

    def plain(self) -> dict[str, Any]:
        """Its fields as JSON knows them; `from_plain` reads them."""
        return {"code": self.code} | {one.name: _plain(getattr(self, one.name)) for one in fields(self)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """The code that `plain` wrote, each field checked."""
        expected = {one.name for one in fields(cls)}
        given = {name: value for name, value in plain.items() if name != "code"}
        if set(given) != expected:
            raise InputError(
                f"Code of a column ({cls.code}): expected the fields {sorted(expected)}, got "
                f"{sorted(map(str, given))[:20]}. The file is damaged, or was not written by Mercer."
            )
        return cls(**given)

    def _checked(self, field: str, check: Any, *bounds: Any) -> None:
        """Sets a field to what the check makes of it."""
        object.__setattr__(self, field, check(f"Column {self.name!r}, {field}", getattr(self, field), *bounds))


def _plain(value: Any) -> Any:
    if isinstance(value, ColumnKind):
        return value.value
    return list(value) if isinstance(value, tuple) else value
