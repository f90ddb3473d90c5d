"""Tables of mixed columns: what came in a file or a data frame, before any of it is a number to a machine.

`read_table` reads a file into a `Table` of columns (numbers, booleans, dates, text) and tells how it was understood;
`read_batches` streams a file into the columns that a model knows; `table_from_frame` takes data frames. Nothing is
guessed without a word: what was detected stands in `Table.reading.told`, and what cannot be read right is refused with
its line.

A text file passes `sources` (opened, unpacked), `text_files` (proven UTF-8), `sniffing` (separator, header, decimal
sign), `cells` (DuckDB parts it and casts the plain numbers) and `understanding` (each column's kind, by all its cells),
or `casting` where a model knows the kinds already.

`Encoding` makes numbers of columns, as it has learnt from training rows: a code for each kind of column (`number_code`,
`category_code`, `boolean_code`, `date_code`), and a word on each that is left out.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mercer.tables.encoding import Encoded, Encoding, Note
from mercer.tables.table import Column, ColumnKind, Reading, Table

if TYPE_CHECKING:
    from mercer.tables.builtin import BUILT_IN as BUILT_IN
    from mercer.tables.casting import cast_table as cast_table
    from mercer.tables.frames import table_from_frame as table_from_frame
    from mercer.tables.reading import read_batches as read_batches
    from mercer.tables.reading import read_table as read_table
    from mercer.tables.reading import read_table_as as read_table_as

# What is imported when it is asked for.
_LATER = {
    "BUILT_IN": "builtin",
    "cast_table": "casting",
    "table_from_frame": "frames",
    "read_batches": "reading",
    "read_table": "reading",
    "read_table_as": "reading",
}

__all__ = ["Column", "ColumnKind", "Encoded", "Encoding", "Note", "Reading", "Table", *_LATER]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"mercer.tables.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
