"""Tables as they are named on a command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mercer.tables import Table

__all__ = [
    "check_is_model",
    "dropped_of",
    "file_stem",
    "is_libsvm_model",
    "reading_of",
    "target_of",
    "time_left",
    "unpacked_name",
]

# Endings that come behind another one.
_PACKED = {".gz", ".zst", ".bz2", ".xz"}
# So many names are enough to see what kind of table it is.
_MOST_NAMES = 20
# Formats, and tables that come with scikit-learn, which say themselves what is to be predicted: by this name.
_WITH_TARGET = ("LIBSVM", "built in")
_TARGET = "target"
# The part of its time that a run has in any case, however long its table took to read.
_LEAST_SHARE = 0.1
# Endings of tables.
_TABLES = {".csv", ".tsv", ".parquet", ".feather", ".arrow"}
# What every model of LIBSVM's begins with.
_LIBSVM_BEGINS = b"svm_type"


def reading_of(given: Mapping[str, Any], record: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """How a text table is written, as `read_table` takes it, from the options of `table_form`.

    Where the record of a model is given, new tables are read as that of its training was: whether the day or the month
    comes first, and which further words stand for missing values. Older models do not say.
    """
    separator = given["separator"]
    if separator is not None and separator == given["decimal"]:
        raise click.UsageError(f"expected a decimal mark that is not the separator, got {separator!r} for both.")
    reading = _part(record or {}, "reading")
    orders, nulls = _part(reading, "day_first"), reading.get("nulls")
    known = [word for word in nulls if isinstance(word, str)] if isinstance(nulls, list) else []
    return {
        "separator": {"tab": "\t", "\\t": "\t"}.get(separator, separator),
        "header": given["header"],
        "decimal": given["decimal"],
        "nulls": (*given["nulls"], *known) or None,
        "day_first": {name: order for name, order in orders.items() if isinstance(order, bool)} or None,
    }


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = record.get(name)
    return found if isinstance(found, Mapping) else {}


def target_of(table: Table, target: str | None) -> str:
    """The column to predict; where none is named and the format has none either, the error lists them."""
    if target is None:
        if table.reading.format in _WITH_TARGET and _TARGET in table:
            return _TARGET
        names = ", ".join(table.names[:_MOST_NAMES]) + (", …" if len(table.names) > _MOST_NAMES else "")
        raise click.UsageError(
            f"--target: expected the column to predict, got none. The table has {names}. For instance: --target "
            f"{table.names[-1]}"
        )
    return table[target].name


def dropped_of(names: Sequence[str], target: str) -> tuple[str, ...]:
    """The columns to leave out."""
    if target in names:
        raise click.UsageError(f"--drop: expected columns beside the target, got {target!r}, which is to be predicted.")
    return tuple(names)


def time_left(limit: float | None, passed: float) -> float | None:
    """Seconds of a limit that are left where so many have passed."""
    return None if limit is None else max(_LEAST_SHARE * limit, limit - passed)


def file_stem(source: str) -> str:
    """What files that are made of a table are called."""
    if source == "-":
        return "table"
    return unpacked_name(Path(source)).stem or "table"


def unpacked_name(path: Path) -> Path:
    """The name of a file without the endings of what packs it."""
    while path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return path


def check_is_model(path: Path) -> None:
    """Raises where the name says that it is a table: arguments are swapped easily."""
    if unpacked_name(path).suffix.lower() in _TABLES:
        raise click.UsageError(f"expected a model first and a table second, got {path.name!r} as the model.")


def is_libsvm_model(path: Path) -> bool:
    """Whether a file is one of LIBSVM's models, by its first word."""
    with open(path, "rb") as file:
        return file.read(len(_LIBSVM_BEGINS)) == _LIBSVM_BEGINS
