"""A file that is there as a whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

__all__ = ["atomic_file"]


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, beside `path` under another name; it takes that name once all is on the disk.

    Where writing fails, what was at `path` before is still there, and nothing else is; the error names `path`.
    """
    called = os.fspath(path)
    target = os.path.realpath(called)  # a link stays one
    beside = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{secrets.token_hex(4)}.tmp")
    try:
        # Without a buffer: arrays go to the disk as they are.
        with open(beside, "xb", buffering=0, opener=_with_mode_of(target)) as file:
            yield _Whole(file)  # type: ignore[misc]
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException as error:
        with contextlib.suppress(OSError, ValueError):
            os.unlink(beside)
        # Errors of writing name no file, and those of opening the one beside.
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, beside):
            raise OSError(error.errno, error.strerror, called) from error
        raise
    _settle(os.path.dirname(target))


class _Whole(io.RawIOBase):
    """A file without a buffer that writes all it is given, however many calls that takes."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        left = memoryview(content).cast("B")
        size = len(left)
        while left:
            left = left[self._file.write(left) :]
        return size


def _with_mode_of(target: str) -> Any:
    """Opens for who may read and write the file whose place it takes."""
    try:
        mode = os.stat(target).st_mode & 0o777
    except (OSError, ValueError):
        mode = 0o666
    return lambda name, flags: os.open(name, flags, mode)


def _settle(folder: str) -> None:
    """Puts the new name on the disk as well, where the system can."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
