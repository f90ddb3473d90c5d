"""Data frames into tables, by the kinds that their columns have; nothing passes through text that is not text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import InputError
from mercer.tables.table import Column, ColumnKind, Reading, Table
from mercer.tables.words import Words

__all__ = ["table_from_frame"]


def table_from_frame(frame: Any) -> Table:
    """A table out of a pandas or polars frame, a pyarrow table, or a mapping of names to arrays.

    Numbers stay numbers, booleans booleans, dates dates (in UTC where they have a zone), and categories and strings
    become text. What the frame holds as missing is missing: NaN, NaT, None and nulls.

    >>> import numpy as np
    >>> table = table_from_frame({"age": np.array([61, 25]), "sex": ["Male", None]})
    >>> [(column.name, column.kind.value) for column in table.columns]
    [('age', 'number'), ('sex', 'text')]
    """
    for package, is_of, read in (
        ("pandas", lambda module: isinstance(frame, module.DataFrame), _from_pandas),
        ("polars", lambda module: isinstance(frame, (module.DataFrame, module.LazyFrame)), _from_polars),
        ("pyarrow", lambda module: isinstance(frame, (module.Table, module.RecordBatch)), _from_arrow),
    ):
        # A frame of a package is there only once somebody has imported the package.
        module = sys.modules.get(package)
        if module is not None and is_of(module):
            return _table(read(frame), package)
    if isinstance(frame, Mapping):
        return _table([(name, lambda values=values: from_array(values)) for name, values in frame.items()], "arrays")
    raise InputError(
        f"Expected a pandas or polars frame, a pyarrow table or a mapping of names to arrays, got {type(frame).__name__}."
    )


#: Kind, values and words of a column.
_Parts = tuple[ColumnKind, NDArray[Any], tuple[str, ...]]


def _table(named: list[tuple[Any, Callable[[], _Parts]]], source: str) -> Table:
    columns: list[Column] = []
    for name, read in named:
        text = str(name)
        if any(column.name == text for column in columns):
            raise InputError(f"Expected columns with distinct names, got {text!r} twice. Rename one of them.")
        try:
            kind, values, words = read()
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(
                f"Column {text!r}: expected numbers, booleans, dates or text ({error}). Leave it out."
            ) from None
        if kind is ColumnKind.NUMBER and np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            raise InputError(
                f"Expected finite numbers in column {text!r}, got {values[row]} in row {row + 1}. Replace it."
            )
        columns.append(Column(text, kind, values, words))
    if len({len(column.values) for column in columns}) > 1:
        lengths = ", ".join(f"{column.name!r}: {len(column.values)}" for column in columns[:10])
        raise InputError(f"Expected columns of one length, got {lengths}.")
    if not columns or len(columns[0].values) == 0:
        raise InputError("Expected a frame with columns and rows, got an empty one.")
    return Table(tuple(columns), Reading(f"a frame ({source})", "data frame"))


def from_array(given: Any) -> _Parts:
    """The parts of a column out of an array, by its type; objects by what they are."""
    values = np.asarray(np.ma.filled(given.astype(object), None) if isinstance(given, np.ma.MaskedArray) else given)
    if values.ndim != 1:
        raise ValueError(f"an array of {values.ndim} dimensions")
    if values.dtype.kind == "b":
        return _booleans(values, np.zeros(len(values), dtype=bool))
    if values.dtype.kind in "iuf":
        return ColumnKind.NUMBER, values.astype(np.float64), ()
    if values.dtype.kind == "M":
        return ColumnKind.DATE, values.astype("datetime64[us]"), ()
    if values.dtype.kind == "m":
        return ColumnKind.NUMBER, values / np.timedelta64(1, "s"), ()
    if values.dtype.kind in "UST":
        return _texts([str(value) if values.dtype.kind != "S" else value.decode() for value in values])
    if values.dtype.kind == "O":
        return _from_objects(values.tolist())
    raise ValueError(f"values of type {values.dtype}")


def _from_objects(values: list[Any]) -> _Parts:
    """Objects: all booleans, all numbers, all dates; else the text of each."""
    plain = [None if _is_missing(value) else value for value in values]
    kinds = {type(value) for value in plain if value is not None}
    missing = np.array([value is None for value in plain], dtype=bool)
    if kinds and kinds <= {bool, np.bool_}:
        return _booleans(np.array([bool(value) for value in plain]), missing)
    if kinds and all(issubclass(kind, (int, float, np.number)) and not issubclass(kind, bool) for kind in kinds):
        return ColumnKind.NUMBER, np.array([np.nan if value is None else float(value) for value in plain]), ()
    if kinds and all(_is_date_type(kind) for kind in kinds):
        return ColumnKind.DATE, np.array([_moment(value) for value in plain], dtype="datetime64[us]"), ()
    if any(issubclass(kind, (list, dict, set, tuple, np.ndarray, bytes, complex)) for kind in kinds):
        raise ValueError(f"values of type {', '.join(sorted(kind.__name__ for kind in kinds))}")
    return _texts([None if value is None else str(value) for value in plain])


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, none of which equals itself in a way that is true."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _is_date_type(kind: type) -> bool:
    import datetime

    return issubclass(kind, (datetime.date, np.datetime64))


def _moment(value: Any) -> Any:
    if value is None:
        return np.datetime64("NaT")
    zone = getattr(value, "tzinfo", None)
    if zone is not None:
        import datetime

        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return np.datetime64(value, "us")


def _booleans(values: NDArray[Any], missing: NDArray[Any]) -> _Parts:
    return ColumnKind.BOOLEAN, np.where(missing, np.nan, values.astype(np.float64)), ("false", "true")


def _texts(values: list[str | None]) -> _Parts:
    words = Words.of(values).without(lambda word: False)
    return ColumnKind.TEXT, words.codes, words.words


def _categories(codes: NDArray[Any], categories: list[Any]) -> _Parts:
    """Categories by code, −1 for missing; those that no row has are left out."""
    if any(_is_missing(category) for category in categories):
        codes = np.where(
            np.isin(codes, [c for c, category in enumerate(categories) if _is_missing(category)]), -1, codes
        )
    written = [str(int(c)) if isinstance(c, float) and c.is_integer() else str(c) for c in categories]
    words = Words(tuple(written), codes.astype(np.int32))
    used = set(np.unique(words.codes).tolist())
    unused = {word for code, word in enumerate(written) if code not in used}
    kept = words.without(lambda word: word in unused)
    return ColumnKind.TEXT, kept.codes, kept.words


def _from_pandas(frame: Any) -> list[tuple[Any, Callable[[], _Parts]]]:
    if frame.columns.nlevels > 1:
        raise InputError("Expected columns with one name each, got several levels of them. Join the levels.")
    return [
        (name, lambda place=place: _pandas_column(frame.iloc[:, place])) for place, name in enumerate(frame.columns)
    ]


def _pandas_column(series: Any) -> _Parts:
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    name = type(dtype).__name__
    if name == "CategoricalDtype":
        return _categories(np.asarray(series.cat.codes), series.cat.categories.tolist())
    if name == "SparseDtype":
        return from_array(series.sparse.to_dense().to_numpy())
    if name == "PeriodDtype":
        return from_array(series.dt.to_timestamp().to_numpy())
    if name == "DatetimeTZDtype":
        return from_array(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if name == "ArrowDtype":
        import pyarrow

        return _arrow_column(pyarrow.chunked_array(pyarrow.array(series)))
    if kind == "b":
        missing = series.isna().to_numpy(dtype=bool)
        return _booleans(series.to_numpy(dtype=np.float64, na_value=np.nan), missing)
    if kind in "iuf":
        return ColumnKind.NUMBER, series.to_numpy(dtype=np.float64, na_value=np.nan), ()
    if kind in "mMc":
        return from_array(series.to_numpy())
    return from_array(series.to_numpy(dtype=object))


def _from_polars(frame: Any) -> list[tuple[Any, Callable[[], _Parts]]]:
    import polars

    whole = frame.collect() if isinstance(frame, polars.LazyFrame) else frame
    return [(series.name, lambda series=series: _polars_column(series)) for series in whole.get_columns()]


def _polars_column(series: Any) -> _Parts:
    import polars

    dtype = series.dtype
    if dtype == polars.Boolean:
        return _booleans(series.cast(polars.Float64).to_numpy(), series.is_null().to_numpy())
    if dtype.is_numeric():
        return ColumnKind.NUMBER, series.cast(polars.Float64).to_numpy().astype(np.float64), ()
    if dtype == polars.Date:
        return ColumnKind.DATE, series.cast(polars.Datetime("us")).to_numpy().astype("datetime64[us]"), ()
    if dtype == polars.Datetime:
        return (
            ColumnKind.DATE,
            series.dt.replace_time_zone(None).to_numpy().astype("datetime64[us]")
            if (getattr(dtype, "time_zone", None) is None)
            else series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy().astype("datetime64[us]"),
            (),
        )
    if dtype == polars.Duration:
        return from_array(series.to_numpy())
    if dtype in (polars.String, polars.Categorical, polars.Enum, polars.Null):
        return _texts(series.cast(polars.String).to_list())
    if dtype == polars.Object:
        return _from_objects(series.to_list())
    raise ValueError(f"values of type {dtype}")


def _from_arrow(frame: Any) -> list[tuple[Any, Callable[[], _Parts]]]:
    import pyarrow

    whole = pyarrow.Table.from_batches([frame]) if isinstance(frame, pyarrow.RecordBatch) else frame
    return [
        (name, lambda place=place: _arrow_column(whole.column(place))) for place, name in enumerate(whole.column_names)
    ]


def _arrow_column(array: Any) -> _Parts:
    import pyarrow
    from pyarrow import compute, types

    kind = array.type
    if types.is_boolean(kind):
        missing = array.is_null().to_numpy(zero_copy_only=False) if False else np.asarray(array.is_null())
        return _booleans(np.asarray(compute.fill_null(array, False)).astype(np.float64), missing)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        numbers = compute.cast(array, pyarrow.float64(), safe=False)
        return ColumnKind.NUMBER, np.asarray(compute.fill_null(numbers, np.nan), dtype=np.float64), ()
    if types.is_date(kind) or types.is_timestamp(kind):
        zoneless = compute.cast(array, pyarrow.timestamp("us", tz=getattr(kind, "tz", None)), safe=False)
        ticks = compute.cast(zoneless, pyarrow.int64())
        filled = compute.fill_null(ticks, np.iinfo(np.int64).min)
        return ColumnKind.DATE, np.asarray(filled, dtype=np.int64).view("datetime64[us]"), ()
    if types.is_duration(kind):
        return from_array(np.asarray(array))
    if types.is_dictionary(kind):
        return _texts(_strings(compute.cast(array, kind.value_type)))
    return _texts(_strings(array))


def _strings(array: Any) -> list[str | None]:
    import pyarrow
    from pyarrow import types

    kind = array.type
    if (
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_null(kind)
        or types.is_time(kind)
        or types.is_string_view(kind)
    ):
        return [None if value is None else str(value) for value in array.to_pylist()]
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return [None if value is None else str(value) for value in array.to_pylist()]
    raise ValueError(f"values of type {kind}")
