"""Tables of mixed columns."""

from mercer.tables.encoding import Encoded, Encoding, Note
from mercer.tables.table import Column, ColumnKind, Reading, Table

__all__ = ["Column", "ColumnKind", "Encoded", "Encoding", "Note", "Reading", "Table"]
