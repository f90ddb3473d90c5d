"""Separated text into tables: every cell is read as text, and its kind decided by all cells of its column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mercer.tables.casting import Schema, cast_cells, wanted
from mercer.tables.cells import read_cells
from mercer.tables.chunks import chunks
from mercer.tables.database import quoted, within
from mercer.tables.options import ReadingOptions
from mercer.tables.plain_cells import read_plain_cells
from mercer.tables.records import bad_record, record_of
from mercer.tables.sniffing import Layout, sniff
from mercer.tables.table import ColumnKind, Reading, Table, check_columns
from mercer.tables.text_files import TextFile
from mercer.tables.understanding import Locate, Rules, Understood, understand
from mercer.tables.words import Words

__all__ = ["read_csv_table", "read_csv_batches"]

#: DuckDB's own limit for a line, in bytes; wide tables have longer ones.
_LONGEST_LINE = 1 << 21


def read_csv_table(file: TextFile, options: ReadingOptions, folder: Path) -> Table:
    """A whole table, and how it was understood."""
    layout = sniff(
        file, separator=options.separator, header=options.header, decimal=options.decimal, nulls=options.nulls
    )
    with within(
        file.source,
        memory=options.memory,
        threads=options.threads,
        spill=str(folder),
        explain=lambda: bad_record(file.path, layout, file.source),
    ) as connection:
        understood = _understood(connection, file, layout, options)
        wishes = [one.column.name for one in understood if one.wants_comma]
        points = any(_has_point(one) for one in understood)
        if wishes and not points and not layout.decimal_given:
            layout = replace(layout, decimal=",", told=(*layout.told, "Numbers have a decimal comma."))
            understood = _understood(connection, file, layout, options)
            wishes = []
    told = [*layout.told, *(sentence for one in understood for sentence in one.told)]
    if wishes:
        told.append(
            f"Numbers in {', '.join(map(repr, wishes))} have a comma, those of other columns a point: the former are "
            "read as text. If the comma is decimal, say so (--decimal ,)."
        )
    nulls: Counter[str] = Counter()
    for one in understood:
        nulls.update(one.nulls)
    if nulls:
        told.append(f"Missing values: {', '.join(_counted(word, count) for word, count in nulls.most_common())}.")
    columns = tuple(one.column for one in understood)
    told += _empty_rows(columns)
    orders = {one.day_first for one in understood} - {None}
    reading = Reading(
        source=file.source,
        format="CSV",
        told=tuple(told),
        separator=layout.separator,
        has_header=layout.has_header,
        decimal=layout.decimal,
        null_words=tuple(word for word, _ in nulls.most_common()),
        day_first=orders.pop() if len(orders) == 1 else None,
        nulls_given=options.nulls.sorted,
        date_orders=tuple((one.column.name, one.day_first) for one in understood if one.day_first is not None),
    )
    return Table(columns, reading)


def _counted(word: str, count: int) -> str:
    return f"{repr(word) if word else 'empty'} ({count:,} {'cell' if count == 1 else 'cells'})"


def _has_point(one: Understood) -> bool:
    values = one.column.values
    return one.column.kind is ColumnKind.NUMBER and bool(np.any(values != np.floor(values), where=~np.isnan(values)))


def _empty_rows(columns: tuple[Any, ...]) -> list[str]:
    empty = int(np.sum(np.logical_and.reduce([column.missing for column in columns])))
    return [f"{empty:,} {'row has' if empty == 1 else 'rows have'} no value at all."] if empty else []


def _understood(connection: Any, file: TextFile, layout: Layout, options: ReadingOptions) -> list[Understood]:
    source, names = _from(file.path, layout), _positions(layout)
    blank = file.blank_last_lines if layout.n_columns == 1 else 0
    rows = slice(int(layout.has_header), -blank or None)
    cells = read_cells(connection, source, names, layout.decimal, nulls=options.nulls.numbers, rows=rows)
    rules = Rules(options.nulls, layout.decimal, options.day_first)
    locate = _by_line(file.path, layout, file.source)

    def texts(name: str) -> Words:
        return read_cells(connection, source, [name], layout.decimal, texts=[name], rows=rows)[0].rest

    return [
        understand(name, some, lambda column=column: texts(column), rules, locate)  # type: ignore[misc]
        for name, column, some in zip(layout.names, names, cells, strict=True)
    ]


def _positions(layout: Layout) -> list[str]:
    """Names for the columns within the database, where those of the user might clash."""
    return [f"c{place}" for place in range(layout.n_columns)]


def _from(path: Path, layout: Layout, numbers: Collection[str] = ()) -> str:
    """The FROM clause for a file, with everything said, so that nothing is guessed."""
    longest, quote = max(_LONGEST_LINE, 4 * layout.longest), quoted(layout.quote)
    columns = ", ".join(f"'{name}': '{'DOUBLE' if name in numbers else 'VARCHAR'}'" for name in _positions(layout))
    settings = (
        f"columns={{{columns}}}, delim={quoted(layout.separator)}, quote={quote}, escape={quote}, header=false, "
        f"skip={layout.skipped}, auto_detect=false, null_padding=false, max_line_size={longest}, compression='none'"
    )
    if longest > _LONGEST_LINE:
        settings += f", buffer_size={4 * longest}"
    return f"read_csv({quoted(str(path))}, {settings})"


def _by_line(path: Path, layout: Layout, source: str, first_line: int = 1) -> Locate:
    return lambda row: f"{source}, line {record_of(path, layout, row, first_line).line}"


def read_csv_batches(
    file: TextFile, schema: Schema, keep: tuple[str, ...], rows: int, options: ReadingOptions, folder: Path
) -> Iterator[Table]:
    """Tables of so many rows, with the columns of a schema and those to keep."""
    kinds = wanted(schema, keep)
    layout = sniff(
        file,
        separator=options.separator,
        header=options.header,
        decimal=options.decimal,
        nulls=options.nulls,
        expected=tuple(kinds),
    )
    check_columns(kinds, layout.names, file.source)
    reading = Reading(file.source, "CSV", layout.told, layout.separator, layout.has_header, layout.decimal)
    rules = Rules(options.nulls, layout.decimal, options.day_first)
    positions = {name: f"c{layout.names.index(name)}" for name in kinds}
    texts = [positions[name] for name, kind in kinds.items() if kind is not ColumnKind.NUMBER]
    numbers = set(positions.values()) - set(texts)
    # Until something unusual turns up, which then is likely to come again.
    is_plain = layout.decimal == "." and not options.nulls.numbers
    part = replace(layout, has_header=False, skipped=0)
    chunk_file, first_line = folder / "chunk", 1
    with within(
        file.source,
        memory=options.memory,
        threads=options.threads,
        spill=str(folder),
        explain=lambda: bad_record(chunk_file, part, file.source, first_line),
    ) as connection:
        for chunk in chunks(file, layout, rows):
            first_line = chunk.first_line
            chunk_file.write_bytes(chunk.content)
            locate = _by_line(chunk_file, part, file.source, first_line)
            places = list(positions.values())
            cells = None
            if is_plain:
                typed = _from(chunk_file, part, numbers)
                cells = read_plain_cells(connection, typed, chunk.content, places, texts)
                is_plain = cells is not None
            if cells is None:
                cells = read_cells(
                    connection,
                    _from(chunk_file, part),
                    places,
                    layout.decimal,
                    nulls=options.nulls.numbers,
                    texts=texts,
                )
            columns = (
                cast_cells(name, some, kinds[name], rules, locate) for name, some in zip(kinds, cells, strict=True)
            )
            yield Table(tuple(columns), reading)
