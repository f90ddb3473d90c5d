"""Data frames into tables, by the kinds that their columns have; nothing passes through text that is not text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.tables.arrays import Parts, categories, from_array, from_booleans, from_objects, from_texts
from mercer.tables.booleans import with_booleans
from mercer.tables.table import Column, ColumnKind, Reading, Table

__all__ = ["columns_of_frame", "table_from_frame"]


def table_from_frame(frame: Any) -> Table:
    """A table out of a pandas or polars frame, a pyarrow table, or a mapping of names to arrays.

    Numbers stay numbers, booleans booleans, dates dates (in UTC where they have a zone), and categories and strings
    become text, or booleans where yes and no, or true and false, are all their words. What the frame holds as missing
    is missing: NaN, NaT, None and nulls.

    >>> import numpy as np
    >>> table = table_from_frame({"age": np.array([61, 25]), "sex": ["Male", None]})
    >>> [(column.name, column.kind.value) for column in table.columns]
    [('age', 'number'), ('sex', 'text')]
    """
    plain = columns_of_frame(frame)
    columns, told = with_booleans(plain.columns)
    return Table(tuple(columns), replace(plain.reading, told=tuple(told)))


def columns_of_frame(frame: Any) -> Table:
    """The table of a frame whose texts are text, whatever their words."""
    source, columns = _columns(frame)
    read: dict[str, Column] = {}
    for name, values, reader in columns:
        if name in read:
            raise InputError(f"Expected columns with distinct names, got {name!r} twice. Rename one of them.")
        try:
            kind, array, words = reader(values)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(
                f"Column {name!r}: expected numbers, booleans, dates or text, got others ({error}). Leave it out."
            ) from None
        if kind is ColumnKind.NUMBER and np.isinf(array).any():
            row = int(np.argmax(np.isinf(array)))
            raise InputError(
                f"Expected finite numbers in column {name!r}, got {array[row]} in row {row + 1}. Replace it."
            )
        read[name] = Column(name, kind, array, words)
    lengths = {name: len(column.values) for name, column in read.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"Expected columns of one length, got {lengths}. Cut them to one.")
    if not any(lengths.values()):
        raise InputError("Expected a frame with columns and rows, got an empty one.")
    return Table(tuple(read.values()), Reading(f"a frame ({source})", "data frame"))


def _columns(frame: Any) -> tuple[str, Iterator[tuple[str, Any, Any]]]:
    """Where a frame comes from, and for each column its name, its values and what reads them."""
    # A frame of a package is there only once somebody has imported the package.
    pandas, polars, pyarrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        if frame.columns.nlevels > 1:
            raise InputError("Expected columns with one name each, got several levels of names. Join them.")
        return "pandas", ((str(name), frame.iloc[:, place], _pandas) for place, name in enumerate(frame.columns))
    if polars is not None and isinstance(frame, (polars.DataFrame, polars.LazyFrame)):
        whole = frame.collect() if isinstance(frame, polars.LazyFrame) else frame
        return "polars", ((series.name, series, _polars) for series in whole.get_columns())
    if pyarrow is not None and isinstance(frame, (pyarrow.Table, pyarrow.RecordBatch)):
        return "pyarrow", ((name, frame.column(place), _arrow) for place, name in enumerate(frame.schema.names))
    if isinstance(frame, Mapping):
        return "arrays", ((str(name), values, from_array) for name, values in frame.items())
    raise InputError(
        "Expected a pandas or polars frame, a pyarrow table or a mapping of names to arrays, got "
        f"{type(frame).__name__}."
    )


def _pandas(series: Any) -> Parts:
    dtype, name = series.dtype, type(series.dtype).__name__
    kind = getattr(dtype, "kind", "O")
    if name == "CategoricalDtype":
        return categories(np.asarray(series.cat.codes), series.cat.categories.tolist())
    if name == "SparseDtype":
        return from_array(series.sparse.to_dense().to_numpy())
    if name == "PeriodDtype":
        return from_array(series.dt.to_timestamp().to_numpy())
    if name == "DatetimeTZDtype":
        return from_array(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if name == "ArrowDtype":
        import pyarrow

        return _arrow(pyarrow.array(series))
    if kind == "b":
        return from_booleans(series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True))
    if kind in "iuf":
        return ColumnKind.NUMBER, series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True), ()
    return from_array(series.to_numpy() if kind in "mMc" else series.to_numpy(dtype=object))


def _polars(series: Any) -> Parts:
    import polars

    dtype = series.dtype
    if dtype == polars.Boolean:
        return from_booleans(series.cast(polars.Float64).to_numpy())
    if dtype.is_numeric():
        return ColumnKind.NUMBER, np.array(series.cast(polars.Float64).to_numpy()), ()
    if dtype in (polars.Date, polars.Datetime):
        # Times with a zone are held as UTC, whatever the zone.
        ticks = series.cast(polars.Datetime("us", getattr(dtype, "time_zone", None))).to_physical()
        return ColumnKind.DATE, ticks.fill_null(np.iinfo(np.int64).min).to_numpy().view("datetime64[us]").copy(), ()
    if dtype == polars.Duration:
        return from_array(series.to_numpy())
    if dtype in (polars.String, polars.Categorical, polars.Enum, polars.Null, polars.Time):
        return from_texts(series.cast(polars.String).to_list())
    if dtype == polars.Object:
        return from_objects(series.to_list())
    raise ValueError(f"values of type {dtype}")


def _arrow(array: Any) -> Parts:
    import pyarrow
    from pyarrow import compute, types

    kind = array.type
    if types.is_boolean(kind):
        numbers = compute.cast(compute.cast(array, pyarrow.uint8()), pyarrow.float64())
        return from_booleans(np.array(compute.fill_null(numbers, np.nan)))
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        numbers = compute.cast(array, pyarrow.float64(), safe=False)
        return ColumnKind.NUMBER, np.array(compute.fill_null(numbers, np.nan), dtype=np.float64), ()
    if types.is_date(kind) or types.is_timestamp(kind):
        moments = compute.cast(array, pyarrow.timestamp("us", tz=getattr(kind, "tz", None)), safe=False)
        ticks = compute.fill_null(compute.cast(moments, pyarrow.int64()), np.iinfo(np.int64).min)
        return ColumnKind.DATE, np.array(ticks, dtype=np.int64).view("datetime64[us]"), ()
    if types.is_duration(kind):
        return from_array(np.asarray(array))
    if types.is_dictionary(kind):
        return _arrow_categories(compute.cast(array, kind.value_type))
    if any(test(kind) for test in (types.is_string, types.is_large_string, types.is_string_view, types.is_null)):
        return from_texts(array.to_pylist())
    if types.is_time(kind):
        return from_texts([None if value is None else str(value) for value in array.to_pylist()])
    raise ValueError(f"values of type {kind}")


def _arrow_categories(array: Any) -> Parts:
    """A dictionary's values one by one: categories, also where they are numbers."""
    return from_objects(array.to_pylist(), as_text=True)
