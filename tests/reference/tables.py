"""Tables made of Python lists, with None for what is missing."""

from datetime import datetime

import numpy as np

from mercer.tables import Column, ColumnKind, Reading, Table

KINDS = {float: "number", int: "number", bool: "boolean", datetime: "date", str: "text"}


def kind_of(values):
    """The name of the kind that a list's values are of."""
    found = {KINDS[type(value)] for value in values if value is not None}
    assert len(found) <= 1
    return found.pop() if found else "number"


def column_of(name, values, kind=None, words=("false", "true")):
    """The column that a reader would make of a list."""
    kind = ColumnKind(kind or kind_of(values))
    if kind is ColumnKind.TEXT:
        known = tuple(dict.fromkeys(value for value in values if value is not None))
        codes = [-1 if value is None else known.index(value) for value in values]
        return Column(name, kind, np.array(codes, dtype=np.int32), known)
    if kind is ColumnKind.DATE:
        return Column(name, kind, np.array([value or "NaT" for value in values], dtype="datetime64[us]"))
    numbers = np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
    return Column(name, kind, numbers, words if kind is ColumnKind.BOOLEAN else ())


def table_of(columns, kinds=None, source="a list"):
    """The table of a dict of lists."""
    made = (column_of(name, values, (kinds or {}).get(name)) for name, values in columns.items())
    return Table(tuple(made), Reading(source, "data frame"))
