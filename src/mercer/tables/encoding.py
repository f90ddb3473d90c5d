"""From a table of mixed columns to a matrix of numbers: learnt from training rows, held as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from mercer.checks import integer
from mercer.errors import InputError
from mercer.plain_state import PlainState
from mercer.tables.boolean_code import BooleanCode
from mercer.tables.category_code import CategoryCode
from mercer.tables.column_code import ColumnCode
from mercer.tables.date_code import DateCode
from mercer.tables.expected_kind import column_of_kind
from mercer.tables.learning import Learning, learn_code
from mercer.tables.left_out import LeftOut, PresenceCode
from mercer.tables.number_code import NumberCode
from mercer.tables.step_code import StepCode
from mercer.tables.table import ColumnKind, Table, check_columns, no_such_column
from mercer.tables.words_code import WordsCode
from mercer.typing import Floats

__all__ = ["CODES", "Encoded", "Encoding", "Note"]

#: The codes of columns there are, by their names in plain values.
CODES: dict[str, type[ColumnCode]] = {
    kind.code: kind
    for kind in (NumberCode, StepCode, CategoryCode, WordsCode, BooleanCode, DateCode, PresenceCode, LeftOut)
}


class Note(NamedTuple):
    """What a person should know about how a column is used."""

    column: str
    words: str


class Encoded(NamedTuple):
    """Rows as numbers.

    Attributes
    ----------
    X : ndarray of shape (rows, n_features)
        float64 in C order.
    unseen : dict
        By column, how many rows have a category that training has not seen.
    missing : dict
        By column, how many rows have no value where every training row had one.
    """

    X: Floats
    unseen: dict[str, int]
    missing: dict[str, int]


@dataclass(frozen=True)
class Encoding(PlainState):
    """How each column of a table becomes features.

    Numbers are scaled to mean 0 and deviation 1, where they are many whole steps with a feature for each as well;
    categories have a feature of 0 and 1 each, rare ones one together, dates have their days and their places in year,
    week and day, and free text has a feature for each common word. Missing values are filled and marked in a feature of
    their own. Text that looks like an id, and columns that are always the same, are left out: `notes` says so.

    Attributes
    ----------
    columns : tuple of ColumnCode
        One a column of the training table, in its order.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.tables import Column, ColumnKind, Encoding, Reading, Table
    >>> age = Column("age", ColumnKind.NUMBER, np.array([30.0, 40.0, 50.0, np.nan]))
    >>> sex = Column("sex", ColumnKind.TEXT, np.array([0, 1, 1, 0], dtype=np.int32), ("female", "male"))
    >>> table = Table((age, sex), Reading("people", "data frame"))
    >>> encoding = Encoding.learn(table, least_rows=1)
    >>> encoding.feature_names
    ('age', 'age (missing)', 'sex = female', 'sex = male')
    >>> encoding(table).X[3].tolist()
    [0.0, 1.0, 1.0, 0.0]
    """

    columns: tuple[ColumnCode, ...]

    def __post_init__(self) -> None:
        names = self.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"Expected columns with different names, got {twice!r} twice. Rename one of them.")
        if not self.n_features:
            told = "; ".join(f"{code.name!r}: {code.note}" for code in self.columns[:20])
            raise InputError(
                f"Expected a column to learn from, got none: every column is left out ({told or 'there are none'}). "
                "Give a table with columns of numbers or of categories that repeat."
            )

    @classmethod
    def learn(cls, table: Table, *, most_categories: int = 40, least_rows: int = 10) -> Self:
        """From training rows only, without the target.

        Parameters
        ----------
        table : Table
        most_categories : int, default=40
            How many categories, or words, of a column have a feature of their own at most: the commonest.
        least_rows : int, default=10
            How many rows a category or a word needs for that; categories that have fewer share one feature.
        """
        options = Learning(
            most_categories=integer("most_categories", most_categories, 1),
            least_rows=integer("least_rows", least_rows, 1),
        )
        if not table.n_rows:
            raise InputError(f"Expected rows to learn from in {table.reading.source}, got none.")
        return cls(tuple(learn_code(column, options) for column in table.columns))

    # ---------------------------------------------------------------- what it is

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of the training table, those that are left out too."""
        return tuple(code.name for code in self.columns)

    @cached_property
    def n_features(self) -> int:
        """How many numbers a row becomes."""
        return sum(code.n_features for code in self.columns)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """One name a feature."""
        return tuple(name for code in self.columns for name in code.feature_names)

    @property
    def schema(self) -> tuple[tuple[str, ColumnKind], ...]:
        """The columns that a table must have, and their kinds."""
        return tuple((code.name, code.column_kind) for code in self.columns if code.n_features)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a person should know, column by column."""
        return tuple(Note(code.name, code.note) for code in self.columns if code.note)

    @cached_property
    def _slices(self) -> dict[str, slice]:
        ends = np.cumsum([0, *(code.n_features for code in self.columns)]).tolist()
        return {name: slice(*ends[place : place + 2]) for place, name in enumerate(self.names)}

    def features_of(self, name: str) -> slice:
        """Which features are of a column; none where it is left out."""
        try:
            return self._slices[name]
        except KeyError:
            raise no_such_column(name, self.names, "the training table") from None

    # ---------------------------------------------------------------- use

    def __call__(self, table: Table) -> Encoded:
        """The rows of a table as numbers; columns that training did not see, or left out, are not looked at.

        Raises
        ------
        InputError
            Where a column is not there, or of another kind than in training.
        """
        used = [code for code in self.columns if code.n_features]
        check_columns((code.name for code in used), table.names, table.reading.source)
        columns = [column_of_kind(table, code.name, code.column_kind, _words(code)) for code in used]
        X = np.zeros((table.n_rows, self.n_features))
        surprises = {
            code.name: code.encode(column, X[:, self._slices[code.name]])
            for code, column in zip(used, columns, strict=True)
        }
        unseen = {name: found.unseen for name, found in surprises.items() if found.unseen}
        missing = {name: found.missing for name, found in surprises.items() if found.missing}
        return Encoded(X, unseen, missing)

    # ---------------------------------------------------------------- plain values

    def plain(self) -> dict[str, Any]:
        """As JSON knows it; `from_plain` reads it."""
        return {"columns": [code.plain() for code in self.columns]}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """The encoding that `plain` wrote, every field checked."""
        columns = plain.get("columns") if isinstance(plain, Mapping) else None
        if not isinstance(columns, list) or set(plain) != {"columns"}:
            raise InputError("Encoding: expected a dict with a list of columns, got others. The file is damaged.")
        return cls(tuple(map(_code_from_plain, columns)))


def _words(code: ColumnCode) -> tuple[str, ...]:
    return code.words if isinstance(code, BooleanCode) else ()


def _code_from_plain(plain: Any) -> ColumnCode:
    code = plain.get("code") if isinstance(plain, Mapping) else None
    if not isinstance(code, str) or code not in CODES:
        raise InputError(
            f"Encoding: expected columns with a code among {list(CODES)}, got {code!r:.60}. The file is damaged, or of "
            "a newer version of Mercer."
        )
    return CODES[code].from_plain(plain)
