"""A text file made ready: UTF-8 proven over the whole file, lines that end in one way, no blanks for last lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mercer.errors import InputError

__all__ = ["TextFile", "prepare"]

_BLOCK = 1 << 20
#: Where the last lines are looked for.
_TAIL = 1 << 16
_BLANKS = b" \t\r\n\x1a"
_LINE_END = re.compile(rb"[ \t]*(?:\r\n|\r|\n)")
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True)
class TextFile:
    """A text file that is UTF-8 throughout, with lines as the user's file has them.

    Attributes
    ----------
    path : Path
        A file of our own name.
    source : str
        What the user calls it.
    told : tuple of str
        What had to be said about its bytes.
    blank_last_lines : int
        How many empty lines end it.
    """

    path: Path
    source: str
    told: tuple[str, ...] = ()
    blank_last_lines: int = 0


@dataclass
class _Ends:
    """How many lines end in which way."""

    pairs: int = 0
    feeds: int = 0
    returns: int = 0

    @property
    def mixed(self) -> bool:
        return self.returns > self.pairs or 0 < self.pairs < self.feeds


def prepare(path: Path, source: str, folder: Path) -> TextFile:
    """Checks every byte of a text file, and writes a copy where its lines end in several ways or it is UTF-16."""
    told: list[str] = []
    with path.open("rb") as file:
        head = file.read(4)
    if not head:
        raise InputError(f"{source}: this file is empty. Expected a table, with a line for each row.")
    for mark, name in _UTF_16.items():
        if head.startswith(mark):
            path = _transcoded(path, name, source, folder)
            told.append("The file is UTF-16; it is read as such.")
    if head.startswith(codecs.BOM_UTF8):
        told.append("The file begins with a byte-order mark, which is left out.")
    ends = _checked_ends(path, source)
    if ends.mixed:
        path = _rewritten(path, folder / "lines", lambda block: block.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
        if ends.feeds:
            told.append("Lines end in several ways; each is taken for the end of a line.")
    rest = _rest(path, source)
    blank = rest.count(b"\n") or int(bool(rest))
    if blank:
        told.append(f"{blank} empty last line{'s are' if blank > 1 else ' is'} left out.")
    if rest.strip(b"\r\n"):
        size = path.stat().st_size - len(rest)
        path = _rewritten(path, folder / "cut", lambda block: block)
        with path.open("r+b") as file:
            file.truncate(size)
        blank = 0
    return TextFile(path, source, tuple(told), blank)


def _checked_ends(path: Path, source: str) -> _Ends:
    """Proves that a file is UTF-8 and counts how its lines end."""
    ends, decoder, before = _Ends(), codecs.getincrementaldecoder("utf-8")(), 0
    for block in _blocks(path):
        if b"\0" in block:
            line = before + block[: block.index(b"\0")].count(b"\n") + 1
            raise InputError(
                f"{source}, line {line}: expected text, got a zero byte: a binary file, or text in UTF-16 without its "
                "mark. Save it as UTF-8."
            )
        try:
            if not block.isascii() or decoder.getstate()[0]:
                decoder.decode(block)
        except UnicodeDecodeError as error:
            raise _not_utf8(path, source, before, error) from None
        feeds = block.count(b"\n")
        before += feeds
        ends.feeds += feeds
        if b"\r" in block:
            ends.pairs += block.count(b"\r\n")
            ends.returns += block.count(b"\r")
    if decoder.getstate()[0]:
        raise InputError(f"{source}, line {before + 1}: the file ends within a character. It is cut off: get it again.")
    return ends


def _not_utf8(path: Path, source: str, before: int, error: UnicodeDecodeError) -> InputError:
    """The error for bytes that are not UTF-8, with the line as it reads in Latin-1, the likeliest of the others."""
    number = before + error.object[: error.start].count(b"\n") + 1
    with path.open("rb") as file:
        text = next((line for count, line in enumerate(file, 1) if count == number), b"")
    shown = text.decode("latin-1").strip()
    return InputError(
        f"{source}, line {number}: expected UTF-8, got bytes of another encoding (as Latin-1 the line reads "
        f"{shown[:120]!r}). Save the file as UTF-8, for instance: iconv -f LATIN1 -t UTF-8 FILE > NEW"
    )


def _blocks(path: Path) -> Iterator[bytes]:
    """The bytes of a file in blocks that never part a carriage return from its line feed."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            if block.endswith(b"\r"):
                block += file.read(1)
            yield block


def _rewritten(path: Path, new: Path, change: Callable[[bytes], bytes]) -> Path:
    with new.open("wb") as file:
        file.writelines(change(block) for block in _blocks(path))
    return new


def _transcoded(path: Path, encoding: str, source: str, folder: Path) -> Path:
    new = folder / "transcoded"
    try:
        with path.open("r", encoding=encoding, newline="") as old, new.open("w", encoding="utf-8", newline="") as file:
            old.read(1)  # the mark
            while block := old.read(_BLOCK):
                file.write(block)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{source}: expected UTF-16 as its first bytes say, got other bytes ({error.reason})."
        ) from None
    return new


def _rest(path: Path, source: str) -> bytes:
    """What follows the last line that has something in it: nothing, empty lines, or lines of blanks."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _TAIL))
        tail = file.read()
    kept = len(tail.rstrip(_BLANKS))
    if kept == 0 and size <= _TAIL:
        raise InputError(f"{source}: this file has blank lines only. Expected a table, with a line for each row.")
    end = _LINE_END.match(tail, kept)
    rest = tail[end.end() :] if end is not None else b""
    # A line of tabs is a row of missing values where tabs separate.
    return b"" if b"\t" in rest else rest
