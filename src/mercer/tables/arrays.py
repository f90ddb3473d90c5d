"""The parts of a column out of an array or a list of objects, by what they hold."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.table import ColumnKind
from mercer.tables.words import Words
from mercer.typing import Floats

__all__ = ["Parts", "categories", "from_array", "from_booleans", "from_objects", "from_texts"]

#: Kind, values and words of a column.
Parts = tuple[ColumnKind, NDArray[Any], tuple[str, ...]]

_NESTED = (list, dict, set, tuple, np.ndarray, bytes, complex, np.complexfloating)


def from_array(given: Any) -> Parts:
    """The parts of an array by its type, of objects by what they are."""
    if isinstance(given, (list, tuple)):
        return from_objects(given)  # which an array might take for text, NaN and all
    masked = isinstance(given, np.ma.MaskedArray)
    values = np.where(np.ma.getmaskarray(given), np.array(None), given.data) if masked else np.asarray(given)
    if values.ndim != 1:
        raise ValueError(f"an array of {values.ndim} dimensions")
    kind = values.dtype.kind
    if kind == "b":
        return from_booleans(values.astype(np.float64))
    if kind in "iuf":
        return ColumnKind.NUMBER, values.astype(np.float64), ()
    if kind == "M":
        return ColumnKind.DATE, values.astype("datetime64[us]"), ()
    if kind == "m":
        return ColumnKind.NUMBER, values / np.timedelta64(1, "s"), ()
    if kind == "U":
        return from_texts(values.tolist())
    if kind in "OT":
        return from_objects(values.tolist())
    raise ValueError(f"values of type {values.dtype}")


def from_booleans(values: Floats) -> Parts:
    """Booleans out of 0, 1 and NaN."""
    return ColumnKind.BOOLEAN, values, ("false", "true")


def from_texts(values: Sequence[str | None]) -> Parts:
    """Text, exactly as it is; None is missing."""
    words = Words.of(values).without(lambda word: False)
    return ColumnKind.TEXT, words.codes, words.words


def from_objects(values: Sequence[Any], *, as_text: bool = False) -> Parts:
    """Objects: booleans, numbers or dates where all are (unless they are wanted as text); else the text of each."""
    present = [None if _is_missing(value) else value for value in values]
    kinds = {type(value) for value in present if value is not None}
    if any(issubclass(kind, _NESTED) for kind in kinds):
        raise ValueError(f"values of type {', '.join(sorted(kind.__name__ for kind in kinds))}")
    if as_text or not kinds:
        return from_texts([None if value is None else _written(value) for value in present])
    if kinds <= {bool, np.bool_}:
        return from_booleans(np.array([np.nan if value is None else float(value) for value in present]))
    if all(issubclass(kind, (int, float, np.number)) and kind is not bool for kind in kinds):
        return ColumnKind.NUMBER, np.array([np.nan if value is None else float(value) for value in present]), ()
    if all(issubclass(kind, (datetime.date, np.datetime64)) for kind in kinds):
        return ColumnKind.DATE, np.array([_moment(value) for value in present], dtype="datetime64[us]"), ()
    return from_texts([None if value is None else _written(value) for value in present])


def categories(codes: NDArray[Any], labels: Sequence[Any]) -> Parts:
    """Categories by code, −1 for missing; labels that no row has are left out."""
    written = [None if _is_missing(label) else _written(label) for label in labels]
    return from_texts(np.array([*written, None], dtype=object)[codes].tolist())


def _written(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_missing(value: Any) -> bool:
    """Whether this is None, NaN, NaT or pandas' NA; of these the last alone cannot be compared."""
    if value is None or type(value).__name__ == "NAType":
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def _moment(value: Any) -> np.datetime64:
    if value is None:
        return np.datetime64("NaT", "us")
    if getattr(value, "tzinfo", None) is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return np.datetime64(value, "us")
