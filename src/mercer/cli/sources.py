"""Tables as they are named on a command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mercer.tables import Table

__all__ = ["file_stem", "is_libsvm_model", "reading_of", "target_of"]

# Endings that come behind another one.
_PACKED = {".gz", ".zst", ".bz2", ".xz"}
# So many names are enough to see what kind of table it is.
_MOST_NAMES = 20
# What every model of LIBSVM's begins with.
_LIBSVM_BEGINS = b"svm_type"


def reading_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """How a text table is written, as `read_table` takes it, from the options of `table_form`."""
    separator = given["separator"]
    return {
        "separator": {"tab": "\t", "\\t": "\t"}.get(separator, separator),
        "header": given["header"],
        "decimal": given["decimal"],
        "nulls": tuple(given["nulls"]) or None,
    }


def target_of(table: Table, target: str | None) -> str:
    """The column to predict; where none is named, the error lists them."""
    if target is None:
        names = ", ".join(table.names[:_MOST_NAMES]) + (", …" if len(table.names) > _MOST_NAMES else "")
        raise click.UsageError(
            f"--target: expected the column to predict, got none. The table has {names}. For instance: --target "
            f"{table.names[-1]}"
        )
    return table[target].name


def file_stem(source: str) -> str:
    """What files that are made of a table are called."""
    if source == "-":
        return "table"
    path = Path(source)
    while path.suffix in _PACKED:
        path = path.with_suffix("")
    return path.stem or "table"


def is_libsvm_model(path: Path) -> bool:
    """Whether a file is one of LIBSVM's models, by its first word."""
    with open(path, "rb") as file:
        return file.read(len(_LIBSVM_BEGINS)) == _LIBSVM_BEGINS
