"""A naive twin of the reader of text tables: Python's csv module, a value at a time."""

import csv
import datetime
import io
import re

NULLS = {"", "na", "n/a", "#na", "#n/a", "#n/a n/a", "<na>", "nan", "-nan", "nat", "null", "none", "?", "..."}
NUMBER_NULLS = NULLS | {"-", "--", "."}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def rows_of(text, separator):
    """The values of each row, stripped; empty lines left out."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return [[value.strip(" \t\r\n\v\f\u00a0") for value in row] for row in rows if row]


def column_of(values):
    """The kind of a column, and its values with None for missing."""
    numbers = [None if value.lower() in NUMBER_NULLS else value for value in values]
    present = [value for value in numbers if value is not None]
    codes = any(re.fullmatch(r"[+-]?0\d+", value, re.ASCII) for value in present)
    if present and not codes and all(NUMBER.fullmatch(value) for value in present):
        return "number", [None if value is None else float(value) for value in numbers]
    words = [None if value.lower() in NULLS else value for value in values]
    present = [value for value in words if value is not None]
    lower = {value.lower() for value in present}
    for pair in ({"false", "true"}, {"no", "yes"}):
        if lower and lower <= pair:
            return "boolean", [None if value is None else value.lower() in ("true", "yes") for value in words]
    if lower in ({"f", "t"}, {"n", "y"}):
        return "boolean", [None if value is None else value.lower() in "ty" for value in words]
    if present and all(re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII) for value in present):
        try:
            return "date", [None if value is None else datetime.datetime.fromisoformat(value) for value in words]
        except ValueError:
            pass
    return "text", words
