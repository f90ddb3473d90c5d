"""A file that is there as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from mercer.errors import ModelFileError

__all__ = ["atomic_file"]


@contextmanager
def atomic_file(path: str) -> Iterator[BinaryIO]:
    """A file to write to, beside `path` under another name; it takes that name once all is on the disk.

    Where writing fails, what was at `path` before is still there, and nothing else is.
    """
    target = os.path.realpath(path)  # a link stays one
    beside = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{secrets.token_hex(4)}.tmp")
    try:
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _mode_of(target))
    except (OSError, ValueError) as error:
        raise _failed(path, error) from error
    try:
        with open(number, "wb", buffering=0) as file:
            yield _Whole(file)  # type: ignore[misc]
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError):
            raise _failed(path, error) from error
        raise
    _settle(os.path.dirname(target))


class _Whole:
    """A file without a buffer that writes all it is given, however many calls that takes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, content: bytes | memoryview) -> int:
        left = memoryview(content)
        while left:
            left = left[self._file.write(left) :]
        return len(content)


def _mode_of(target: str) -> int:
    """Who may read and write it: as of the file whose place it takes."""
    try:
        return os.stat(target).st_mode & 0o777
    except OSError:
        return 0o666


def _failed(path: str, error: OSError | ValueError) -> ModelFileError:
    reason = getattr(error, "strerror", None) or error
    return ModelFileError(
        f"{path}: expected to write a file there, got: {reason}. What was there before is unchanged; free space, or "
        "give another place."
    )


def _settle(folder: str) -> None:
    """Puts the new name on the disk as well, where the system can."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
