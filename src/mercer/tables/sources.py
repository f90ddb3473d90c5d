"""Where a table comes from: a file that can be opened, and what is in it by its first bytes."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import re
import shutil
import sys
import zlib
from enum import Enum
from pathlib import Path
from typing import BinaryIO, cast

from mercer.errors import InputError
from mercer.tables.builtin import BUILT_IN
from mercer.tables.database import quoted, within
from mercer.tables.table import nearest_names

__all__ = ["Format", "Source", "existing_file", "format_of", "name_of", "plain_copy"]

#: A string that names a table: a path, "-" for standard input, or the name of one that is built in.
Source = str | Path


class Format(Enum):
    """What a file holds."""

    TEXT = "CSV"
    PARQUET = "Parquet"
    FEATHER = "Feather"
    LIBSVM = "LIBSVM"


_LIBSVM_ENDINGS = (".svm", ".libsvm", ".svmlight", ".t")
_CSV_ENDINGS = (".csv", ".tsv", ".tab")
_NUMBER = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LIBSVM_LINE = re.compile(
    _NUMBER + rb"(?:[ \t]+qid:[0-9]+)?((?:[ \t]+[0-9]+:" + _NUMBER + rb")*)[ \t]*(?:#.*)?", re.ASCII
)
#: What is looked at of a text whose name does not say what it holds.
_HEAD = 1 << 16
_PACKED_ENDINGS = (".gz", ".zst", ".bz2", ".xz")
#: First bytes of files that people take for tables, and what to do with them.
_OTHER_FORMATS = {
    b"PK\x03\x04": "a ZIP archive, as the files of spreadsheets are. Save the sheet as CSV, or unpack the archive.",
    b"\xd0\xcf\x11\xe0": "a file of an old spreadsheet program. Save the sheet as CSV.",
    b"\x89HDF": "an HDF5 file. Save the table as CSV or Parquet.",
    b"%PDF": "a PDF file. Save the table as CSV.",
    b"SQLite format 3": "an SQLite database. Save the table as CSV.",
    b"FEA1": "a Feather file of version 1. Save it as version 2, or as Parquet.",
    b"<!DOCTYPE": "a web page. Download the table itself.",
    b"<html": "a web page. Download the table itself.",
}


def name_of(source: Source) -> str:
    """What a source is called in what the user reads."""
    return "standard input" if str(source) == "-" else str(source)


def existing_file(source: Source) -> Path:
    """The path of a file that can be read; whatever stands in the way is refused in words."""
    if "://" in str(source):
        raise InputError(f"{source}: expected a file of this machine, got a remote address. Download it first.")
    path = Path(source).expanduser()
    try:
        if path.is_dir():
            reason = IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
            raise InputError(f"{path}: expected a file, got a folder.{_inside(path)}") from reason
        with path.open("rb"):
            return path.absolute()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.{_near(path)}") from None
    except PermissionError:
        raise InputError(f"{path}: no permission to read this file. Ask its owner, or read a copy.") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be opened ({error}). Check the path.") from None


def _inside(folder: Path) -> str:
    try:
        names = sorted(file.name for file in folder.iterdir() if file.is_file())[:3]
    except OSError:
        return " Name a file."
    return f" Name a file in it, as {', '.join(names)}." if names else " Name a file."


def _near(path: Path) -> str:
    try:
        names = sorted(os.listdir(path.parent))
    except OSError:
        return f" Its folder {path.parent} cannot be listed either: check the path."
    known = [*names, *(BUILT_IN if path.parent == Path(".") else ())]
    near = nearest_names(path.name, known)
    return (
        f" Did you mean {' or '.join(near)}?"
        if near
        else " Check the path, or name a built-in table: " + ", ".join(BUILT_IN) + "."
    )


def format_of(path: Path, name: str) -> Format:
    """What a file holds by its first bytes, a text by the ending of its name or else by its first lines.

    Other formats are refused.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        return Format.PARQUET
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return Format.FEATHER
    for start, what in _OTHER_FORMATS.items():
        if head.lower().startswith(start.lower()):
            raise InputError(f"{name}: expected CSV, Parquet, Feather or LIBSVM data, got {what}")
    plain = name.lower()
    for ending in _PACKED_ENDINGS:
        plain = plain.removesuffix(ending)
    if plain.endswith(_LIBSVM_ENDINGS):
        return Format.LIBSVM
    return Format.TEXT if plain.endswith(_CSV_ENDINGS) or not _are_libsvm(head) else Format.LIBSVM


def _are_libsvm(head: bytes) -> bool:
    """Whether the first lines all begin with a label, and some have values by index behind it."""
    lines = head.splitlines()
    whole = lines[:-1] if len(head) == _HEAD else lines
    found = [_LIBSVM_LINE.fullmatch(line.strip()) for line in whole if line.strip() and not line.startswith(b"#")]
    return all(found) and any(line is not None and line[1] for line in found)


def plain_copy(source: Source, folder: Path) -> Path:
    """A path in the folder under a name of our own that leads to the file, unpacked where it is packed.

    The name of the user's file never reaches the database, to which `*`, `[`, `=` and `s3:` in a name mean something.
    """
    inside = folder / "table"
    if str(source) == "-":
        with inside.open("wb") as file:
            shutil.copyfileobj(_standard_input(), file)
    else:
        path = existing_file(source)
        if not path.is_file():  # a pipe, which can be read once only
            with path.open("rb") as pipe, inside.open("wb") as file:
                shutil.copyfileobj(pipe, file)
        else:
            inside.symlink_to(path)
    return _unpacked(inside, name_of(source), folder)


def _standard_input() -> BinaryIO:
    stream = cast(BinaryIO, getattr(sys.stdin, "buffer", sys.stdin))
    if stream.isatty():
        raise InputError("standard input: expected a table, got a terminal. Pipe a file into it.")
    return stream


def _unpacked(path: Path, name: str, folder: Path) -> Path:
    with path.open("rb") as file:
        head = file.read(6)
    unpacked = folder / "unpacked"
    try:
        if head.startswith(b"\x28\xb5\x2f\xfd"):
            return _unpacked_zst(path, name, unpacked)
        for start, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ\x00", lzma)):
            if head.startswith(start):
                with module.open(path, "rb") as packed, unpacked.open("wb") as plain:
                    shutil.copyfileobj(packed, plain, 1 << 20)
                return unpacked
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{name}: this packed file is damaged or cut off ({error}). Get it again.") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be unpacked ({error}). Unpack it by hand where there is room.") from None
    return path


def _unpacked_zst(path: Path, name: str, unpacked: Path) -> Path:
    """Unpacks by way of the database, which knows the format where Python does not: as a column of lines."""
    packed = path.with_name("packed.zst")
    path.rename(packed)
    query = (
        f"SELECT coalesce(line, '') FROM read_csv({quoted(str(packed))}, columns={{'line': 'VARCHAR'}}, delim='\\x1e', "
        "quote='', escape='', header=false, auto_detect=false, compression='zstd')"
    )
    damaged = InputError(
        f"{name}: this packed file is damaged or cut off, or its text is not UTF-8. Unpack it by hand."
    )
    with within(name, explain=lambda: damaged) as connection, unpacked.open("w", encoding="utf-8", newline="") as plain:
        lines = connection.execute(query)
        while some := lines.fetchmany(65_536):
            plain.writelines(f"{line}\n" for (line,) in some)
    return unpacked
