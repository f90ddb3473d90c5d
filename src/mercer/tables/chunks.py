"""A text file in parts that end where a record ends, so that a table larger than memory is read part by part."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from mercer.errors import InputError
from mercer.tables.records import bad_record
from mercer.tables.signs import Signs
from mercer.tables.sniffing import Layout
from mercer.tables.text_files import TextFile

__all__ = ["Chunk", "chunks"]

#: A record that goes on for longer has a quote that nothing closes, or does not fit a part.
_LONGEST_RECORD = 1 << 26


@dataclass(frozen=True)
class Chunk:
    """Some lines of a file, whole records, and the number of the first of them."""

    content: bytes
    first_line: int


def chunks(file: TextFile, layout: Layout, rows: int) -> Iterator[Chunk]:
    """The rows of a file, without the header, so many lines at a time or a few more."""
    signs, quote = Signs(layout.separator, layout.quote), layout.quote.encode()
    with file.path.open("rb") as stream:
        if stream.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            stream.seek(0)
        number = 1
        for _ in range(layout.skipped):
            stream.readline()
            number += 1
        if layout.has_header:
            header = b""
            while not header.strip():
                header = stream.readline()
                number += 1
            lines = _until_closed([header], stream, signs, layout, file)
            number += len(lines) - 1
        while lines := list(islice(stream, rows)):
            content = b"".join(lines)
            # One look at all lines is quicker than one at each, and most files have no quotes.
            if quote in content:
                lines = _until_closed(lines, stream, signs, layout, file)
                content = b"".join(lines)
            if not stream.peek(1) and layout.n_columns == 1:
                content = content.rstrip(b"\r\n")
            if content.startswith(codecs.BOM_UTF8):
                content = codecs.BOM_UTF8 + content  # within a file it is a character, at its start it would be dropped
            if content.strip(b"\r\n"):
                yield Chunk(content, number)
            number += len(lines)


def _until_closed(lines: list[bytes], stream: BinaryIO, signs: Signs, layout: Layout, file: TextFile) -> list[bytes]:
    """The lines, and those after them that belong to a record whose quotes are open at their end."""
    quote, is_open = signs.quote.encode(), False
    for line in lines:
        if is_open or quote in line:
            _, is_open, _ = signs.scan(line.decode().rstrip("\r\n"), is_open)
    size = 0
    while is_open:
        line = stream.readline()
        size += len(line)
        if not line or size > _LONGEST_RECORD:
            raise bad_record(file.path, layout, file.source) or InputError(
                f"{file.source}: a record is too long to be read."
            )
        _, is_open, _ = signs.scan(line.decode().rstrip("\r\n"), is_open)
        lines.append(line)
    return lines
