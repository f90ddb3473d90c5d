"""Where text comes from: open files, plain or compressed, standard input, objects to read from, or bytes."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import IO, Any

from mercer.errors import InputError

__all__ = ["TextSource", "is_plain_file", "name_of", "text_of"]

#: A path ("-" is standard input), an object with `read`, or the bytes themselves.
TextSource = str | Path | IO[bytes] | IO[str] | bytes | bytearray | memoryview

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}


def name_of(source: TextSource) -> str:
    """What a source is called in errors."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "The data"
    if source == "-":
        return "Standard input"
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "The data"


def is_plain_file(descriptor: int) -> bool:
    """Whether an open file has a size and is not compressed, so that its text can be read from anywhere in it."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode) or os.fstat(descriptor).st_size == 0:
        return False  # files of /proc say that they are empty
    return _packing_of(os.pread(descriptor, 8, 0)) is None


def text_of(source: TextSource) -> bytes:
    """All of the text. What is compressed says so in its first bytes, whatever it is called."""
    content = _content_of(source)
    packing = _packing_of(content)
    return content if packing is None else _unpacked(content, packing, name_of(source))


def _content_of(source: Any) -> bytes:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if isinstance(source, str) and source == "-":
        return sys.stdin.buffer.read()
    content = source.read()
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, (bytes, bytearray, memoryview)):
        return bytes(content)
    raise InputError(f"{name_of(source)}: expected bytes or text to read from it, got {type(content).__name__}.")


def _packing_of(content: bytes) -> str | None:
    return next((module for start, module in _MAGIC.items() if content.startswith(start)), None)


def _unpacked(content: bytes, packing: str, name: str) -> bytes:
    import importlib
    import zlib

    # Imported when needed: a Python may have been built without one of them.
    module = importlib.import_module(packing)
    damaged = (OSError, EOFError, ValueError, zlib.error, *([module.LZMAError] if packing == "lzma" else []))
    try:
        return bytes(module.decompress(content))
    except damaged as error:
        raise InputError(
            f"{name}: expected a whole file compressed by {packing}, got one that ends early or is damaged ({error}). "
            "Copy or download it anew."
        ) from error
