"""Tables of mixed columns: what came in a file or a data frame, before any of it is a number to a machine.

`read_table` reads a file into a `Table` of columns (numbers, booleans, dates, text) and tells how it was understood;
`read_batches` streams a file into the columns that a model knows; `table_from_frame` takes data frames. Nothing is guessed
without a word: what was detected stands in `Table.reading.told`, and what cannot be read right is refused with its line.
"""

from mercer.tables.encoding import Encoded, Encoding, Note
from mercer.tables.table import Column, ColumnKind, Reading, Table

__all__ = ["Column", "ColumnKind", "Encoded", "Encoding", "Note", "Reading", "Table"]
