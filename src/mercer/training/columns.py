"""The columns of the table as they were understood."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables import Column, ColumnKind, Table
from mercer.tables.category_code import CategoryCode
from mercer.tables.left_out import LeftOut
from mercer.training.findings import ColumnFound
from mercer.training.options import TrainingOptions
from mercer.training.prepared import Prepared

__all__ = ["describe_columns"]

# Of categories the commonest, with their shares.
_MOST_VALUES, _MOST_LETTERS = 3, 24
# From here on numbers are told with an exponent.
_LARGE = 1e9


def describe_columns(table: Table, data: Prepared, options: TrainingOptions, leaks: list[str]) -> list[ColumnFound]:
    """All columns of the whole table, what they are for, and what became of them."""
    codes = {code.name: code for code in data.encoding.columns}
    found = []
    for column in table.columns:
        code, name = codes.get(column.name), column.name
        is_category = isinstance(code, CategoryCode)
        if name == data.target.name:
            role, features, note = "target", 0, data.target.reason
            is_category = data.is_classification and column.kind is ColumnKind.TEXT
        elif code is None:
            why = "left out: it nearly reaches the score alone" if name in leaks else "left out, as asked"
            role, features, note = "left out", 0, why
        else:
            role = "left out" if isinstance(code, LeftOut) else "feature"
            features, note = code.n_features, code.note
        distinct, summary, holds_values = _summary(column)
        kind = "category" if is_category else column.kind.value
        missing = int(np.count_nonzero(column.missing))
        found.append(ColumnFound(name, kind, role, missing, distinct, features, summary, note, holds_values))
    return found


def _summary(column: Column) -> tuple[int, str, bool]:
    """Different values, in words what they are, and whether that quotes words of rows."""
    present = column.values[~column.missing]
    if not len(present):
        return 0, "no values", False
    if column.kind is ColumnKind.NUMBER:
        low, middle, high = np.quantile(present, [0.0, 0.5, 1.0])
        return len(np.unique(present)), f"{_told(low)} to {_told(high)}, median {_told(middle)}", False
    if column.kind is ColumnKind.DATE:
        first, last = (column.take([np.flatnonzero(~column.missing)[k]]).texts()[0] for k in _ends(present))
        return len(np.unique(present)), f"{first} to {last}", True
    counts = np.bincount(present.astype(np.int64), minlength=len(column.words))
    distinct = int(np.count_nonzero(counts))
    common = np.argsort(-counts, kind="stable")[: min(_MOST_VALUES, distinct)]
    told = ", ".join(f"{_cut(column.words[k])} {100 * counts[k] / len(present):.3g} %" for k in common)
    return distinct, told + (", …" if distinct > _MOST_VALUES else ""), True


def _ends(values: NDArray[Any]) -> tuple[int, int]:
    return int(values.argmin()), int(values.argmax())


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def _told(number: float) -> str:
    """With four digits, and without an exponent where people write none."""
    if number == round(number) and abs(number) < _LARGE:
        return f"{number:,.0f}"
    return f"{number:,.0f}" if 10_000 <= abs(number) < _LARGE else f"{number:.4g}"
