"""The records of a text file one by one, slowly and exactly: to find a line, and to part a file where a record ends.

The fast reader says of a bad row only that it failed, and knows no lines afterwards; this one counts both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mercer.errors import InputError
from mercer.tables.signs import Signs
from mercer.tables.sniffing import Layout

__all__ = ["Record", "records", "bad_record", "record_of", "clipped"]


@dataclass(frozen=True)
class Record:
    """One record.

    Attributes
    ----------
    line : int
        The line where it begins, from 1.
    text : str
        That line.
    n_fields : int
    is_closed : bool
        Whether every quote that opens is closed.
    is_sound : bool
        Whether only a separator follows a closing quote.
    ends_empty : bool
        Whether its last field is empty.
    """

    line: int
    text: str
    n_fields: int
    is_closed: bool = True
    is_sound: bool = True
    ends_empty: bool = False


def records(lines: Iterable[str], layout: Layout, first_line: int = 1) -> Iterator[Record]:
    """The records of lines; empty lines are left out of tables with several columns, as the fast reader does."""
    signs = Signs(layout.separator, layout.quote)
    start, head, fields, is_open, sound = first_line, "", 0, False, True
    for number, end in enumerate(lines, first_line):
        line = end.rstrip("\r\n")
        if not is_open:
            if not line and layout.n_columns > 1:
                continue
            start, head, fields, sound = number, line, 1, True
        count, is_open, follows = signs.scan(line, is_open)
        fields, sound = fields + count, sound and follows
        if not is_open:
            yield Record(start, head, fields, True, sound, line.endswith(layout.separator))
    if is_open:
        yield Record(start, head, fields, is_closed=False)


def _records_of(path: Path, layout: Layout, first_line: int) -> Iterator[Record]:
    with path.open("r", encoding="utf-8-sig", newline="\n") as file:
        for _ in range(layout.skipped):
            next(file)
        yield from records(file, layout, first_line + layout.skipped)


def bad_record(path: Path, layout: Layout, source: str, first_line: int = 1) -> InputError | None:
    """The error for the first record that is not as the others; None where all are alike."""
    for record in _records_of(path, layout, first_line):
        where, shown = f"{source}, line {record.line}", clipped(record.text)
        if not record.is_closed:
            return InputError(
                f"{where}: a quote opens here that nothing closes: {shown}. Close it, or double a quote that is meant."
            )
        if not record.is_sound:
            return InputError(
                f"{where}: text follows a closing quote: {shown}. Double the quotes that are part of a value."
            )
        if record.n_fields == layout.n_columns or (record.ends_empty and record.n_fields == layout.n_columns + 1):
            continue
        return InputError(
            f"{where}: expected {layout.n_columns} values as in the other lines, got {record.n_fields}: {shown}. "
            f"Mend the line, quote values that hold {layout.separator!r}, or name the separator (--separator)."
        )
    return None


def record_of(path: Path, layout: Layout, row: int, first_line: int = 1) -> Record:
    """The record of a row, counted from 0 without the header, in a file that begins at this line of the user's."""
    place = row + int(layout.has_header)
    return next(record for count, record in enumerate(_records_of(path, layout, first_line)) if count == place)


#: What is shown of a line in an error.
_SHOWN = 120


def clipped(text: str) -> str:
    """A text as an error shows it."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
