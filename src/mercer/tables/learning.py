"""Which code a column gets, by what its training rows hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.boolean_code import BooleanCode
from mercer.tables.category_code import CategoryCode
from mercer.tables.column_code import ColumnCode
from mercer.tables.date_code import DateCode
from mercer.tables.left_out import LeftOut, PresenceCode
from mercer.tables.number_code import NumberCode
from mercer.tables.numerals import dressed_numeral
from mercer.tables.step_code import StepCode
from mercer.tables.table import Column, ColumnKind
from mercer.tables.words_code import WordsCode

__all__ = ["Learning", "learn_code"]

# Text of many values, of which more than this share differ, is no category but an id, a name or a sentence.
_ID_SHARE = 0.5
_TOO_NEAR = "its values differ by less than numbers can tell"


@dataclass(frozen=True)
class Learning:
    """How many categories of a column have a feature of their own at most, and how many rows each needs for that."""

    most_categories: int
    least_rows: int


def learn_code(column: Column, options: Learning) -> ColumnCode:
    """The code of a column, from its training rows."""
    given = column.values[~column.missing]
    if not len(given):
        return LeftOut(column.name, "no row has a value", column.kind)
    distinct = _distinct(given)
    if distinct == 1:
        return _presence(column, f"always the same value ({column.take(~column.missing).texts()[0]!r:.60})", options)
    if column.kind is ColumnKind.TEXT:
        return _learn_text(column, distinct, len(given), options)
    if column.kind is ColumnKind.BOOLEAN:
        return BooleanCode.learn(column)
    if column.kind is ColumnKind.DATE:
        return DateCode.learn(column) or _presence(column, _TOO_NEAR, options)
    number = NumberCode.learn(column)
    if number is None:
        return _presence(column, _TOO_NEAR, options)
    return StepCode.of_steps(column, number, options.least_rows) or number


def _learn_text(column: Column, distinct: int, given: int, options: Learning) -> ColumnCode:
    most, least = options.most_categories, options.least_rows
    code: ColumnCode | None = None
    if distinct <= max(most, _ID_SHARE * given):
        code = CategoryCode.learn(column, most, least)
    why = f"{distinct:,} different values in {given:,} rows"
    return (
        code
        or WordsCode.learn(column, f"{why}, as of free text", most, least)
        or _presence(column, f"{why}, {_like(column)}", options)
    )


def _like(column: Column) -> str:
    """What text is like of which nearly every row has another."""
    dressed = dressed_numeral(column.words)
    if dressed is None:
        return "as of an id"
    return f"which are numbers but for their signs, as {dressed!r}: take these out to have it used"


def _presence(column: Column, why: str, options: Learning) -> ColumnCode:
    """Left out, unless enough rows have a value, and enough have none, to learn from that."""
    missing = int(np.count_nonzero(column.missing))
    if min(missing, len(column.values) - missing) < options.least_rows:
        return LeftOut(column.name, f"left out: {why}", column.kind)
    return PresenceCode(column.name, f"only whether there is a value is used: {why}", column.kind)


def _distinct(given: NDArray[Any]) -> int:
    """How many different values there are of text; of other kinds only whether one or more."""
    if given.dtype.kind == "i":
        return int(np.count_nonzero(np.bincount(given)))
    return 1 if bool(np.all(given == given[0])) else 2
