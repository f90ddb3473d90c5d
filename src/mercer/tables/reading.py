"""Tables out of files, standard input and the names of built-in ones: whole, or in batches for a model.

>>> from mercer.tables import read_table
>>> table = read_table("census")
>>> table.n_rows, len(table.columns)
(2400, 15)
>>> table["age"].kind
<ColumnKind.NUMBER: 'number'>
>>> for sentence in table.reading.told:
...     print(sentence)
The separator is a comma.
The first line names the columns.
Missing values: '?' (317 cells).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from mercer.checks import integer
from mercer.errors import InputError
from mercer.tables.builtin import BUILT_IN, census_file, scikit_learn_table
from mercer.tables.casting import Schema, cast_table
from mercer.tables.csv_files import read_csv_batches, read_csv_table
from mercer.tables.feather_files import read_feather_batches, read_feather_table
from mercer.tables.libsvm_tables import read_libsvm_table, with_features
from mercer.tables.null_words import NullWords
from mercer.tables.options import ReadingOptions
from mercer.tables.parquet_files import read_parquet_batches, read_parquet_table
from mercer.tables.sources import Format, Source, format_of, name_of, plain_copy
from mercer.tables.table import Column, ColumnKind, Table
from mercer.tables.text_files import prepare

__all__ = ["read_table", "read_batches", "read_table_as"]


def read_table(
    source: Source,
    *,
    separator: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    nulls: Sequence[str] | None = None,
    day_first: bool | Mapping[str, bool] | None = None,
    memory: float | None = None,
    threads: int | None = None,
) -> Table:
    """Reads a whole table; `Table.reading` tells how it was understood.

    Parameters
    ----------
    source : str or Path
        A file of CSV, TSV, Parquet, Feather or LIBSVM data, packed by gzip, zstd, bzip2 or xz or not; "-" for standard
        input; or the name of a built-in table where no file has that name.
    separator : str, optional
        What parts the values of a line. Found where not given, as are the next three.
    header : bool, optional
        Whether the first line names the columns.
    decimal : {".", ","}, optional
        The decimal sign.
    nulls : sequence of str, optional
        Words for missing values beside an empty cell and those that Mercer knows; numbers too, as "-999".
    day_first : bool or mapping of str to bool, optional
        Whether dates as 03/04/2026 have the day first, in all columns or by the name of the column.
    memory : float, optional
        What reading may hold, in MB.
    threads : int, optional
        How many threads reading may use.
    """
    options = ReadingOptions(separator, header, decimal, NullWords.of(nulls), day_first, memory, threads)
    if _is_built_in(source):
        return _built_in(str(source), options)
    name = name_of(source)
    with _opened(source) as (path, folder):
        kind = format_of(path, name)
        if kind is Format.PARQUET:
            return read_parquet_table(path, name, options, folder)
        if kind is Format.FEATHER:
            return read_feather_table(path, name, options)
        if kind is Format.LIBSVM:
            return read_libsvm_table(path, name)
        return read_csv_table(prepare(path, name, folder), options, folder)


def read_batches(
    source: Source,
    schema: Schema,
    *,
    rows: int = 65_536,
    keep: Iterable[str] = (),
    separator: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    nulls: Sequence[str] | None = None,
    day_first: bool | Mapping[str, bool] | None = None,
    memory: float | None = None,
    threads: int | None = None,
) -> Iterator[Table]:
    """Reads a table batch by batch, in memory that does not grow with it, into the columns that a model knows.

    A value that cannot be of its column's kind is refused with its line, and a column that is not there with the names
    nearest to it. The order of the columns does not matter, and others are left out.

    Parameters
    ----------
    source : str or Path
        As for `read_table`.
    schema : sequence of (str, ColumnKind)
        The columns of the model.
    rows : int
        How many rows a batch has, or a few more.
    keep : iterable of str
        Further columns to pass on, as text.
    separator, header, decimal, nulls, day_first, memory, threads
        As for `read_table`.
    """
    options = ReadingOptions(separator, header, decimal, NullWords.of(nulls), day_first, memory, threads)
    return _batches(source, tuple(schema), tuple(keep), integer("rows", rows, 1), options)


def _batches(
    source: Source, schema: Schema, keep: tuple[str, ...], rows: int, options: ReadingOptions
) -> Iterator[Table]:
    name = name_of(source)
    if _is_built_in(source):
        yield from _parts(cast_table(_built_in(name, options), schema, keep), rows)
        return
    with _opened(source) as (path, folder):
        kind = format_of(path, name)
        if kind is Format.PARQUET:
            yield from read_parquet_batches(path, name, schema, keep, rows, options, folder)
        elif kind is Format.FEATHER:
            yield from read_feather_batches(path, name, schema, keep, rows, options)
        elif kind is Format.LIBSVM:
            yield from _parts(cast_table(with_features(read_libsvm_table(path, name), schema), schema, keep), rows)
        else:
            yield from read_csv_batches(prepare(path, name, folder), schema, keep, rows, options, folder)


def read_table_as(source: Source, schema: Schema, *, keep: Iterable[str] = (), **said: object) -> Table:
    """Reads a whole table into the columns that a model knows, as `read_batches` does."""
    parts = list(read_batches(source, schema, keep=keep, **said))  # type: ignore[arg-type]
    if not parts:
        raise InputError(f"{name_of(source)}: expected rows, got none.")
    places = range(len(parts[0].columns))
    return Table(tuple(_joined([part.columns[place] for part in parts]) for place in places), parts[0].reading)


def _joined(parts: Sequence[Column]) -> Column:
    """One column of several, whose words become one set."""
    first = parts[0]
    if first.kind is not ColumnKind.TEXT:
        return Column(first.name, first.kind, np.concatenate([part.values for part in parts]), first.words)
    words = sorted({word for part in parts for word in part.words})
    code = {word: place for place, word in enumerate(words)}
    codes = [np.array([*(code[word] for word in part.words), -1], dtype=np.int32)[part.values] for part in parts]
    return Column(first.name, first.kind, np.concatenate(codes), tuple(words))


def _parts(table: Table, rows: int) -> Iterator[Table]:
    for first in range(0, table.n_rows, rows):
        yield table.take(slice(first, first + rows))


def _is_built_in(source: Source) -> bool:
    return str(source) in BUILT_IN and not Path(source).exists()


def _built_in(name: str, options: ReadingOptions) -> Table:
    if name != "census":
        return scikit_learn_table(name)
    with _opened(census_file()) as (path, folder):
        limits = ReadingOptions(memory=options.memory, threads=options.threads)
        table = read_csv_table(prepare(path, name, folder), limits, folder)
    return Table(table.columns, replace(table.reading, format="built in"))


@contextmanager
def _opened(source: Source) -> Iterator[tuple[Path, Path]]:
    """A path to the plain file of a source, and a folder for as long as it is read."""
    with TemporaryDirectory(prefix="mercer-") as name:
        folder = Path(name)
        yield plain_copy(source, folder), folder
