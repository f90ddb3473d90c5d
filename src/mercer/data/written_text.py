"""Where text goes: a file that is replaced as a whole, standard output, or an object to write to."""

from __future__ import annotations

import importlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mercer.atomic_file import atomic_file

__all__ = ["opened_for_writing"]

_MODULES = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}


@contextmanager
def opened_for_writing(target: str | Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """What to write bytes to: "-" is standard output, and endings .gz, .bz2 and .xz compress.

    A file takes its name once all of it is on the disk: where writing fails, what was there before still is.
    """
    if not isinstance(target, (str, os.PathLike)):
        yield target
    elif target == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif not _is_replaceable(target):
        with open(target, "wb") as device, _compressed(device, os.fspath(target)) as out:
            yield out
    else:
        called = os.fspath(target)
        with atomic_file(target) as file, _compressed(file, called) as out:
            yield out


def _is_replaceable(path: str | os.PathLike[str]) -> bool:
    """Whether a file can take the name: not that of a pipe, a device, or a file that is open already."""
    if os.path.abspath(path).startswith(("/dev/std", "/dev/fd/", "/proc/")):
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


@contextmanager
def _compressed(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    module = _MODULES.get(os.path.splitext(name)[1])
    if module is None:
        yield file
    else:
        # Imported when needed: a Python may have been built without one of them.
        with importlib.import_module(module).open(file, "wb") as packed:
            yield packed
