"""Where text goes: a file that is replaced as a whole, standard output, or an object to write to."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

__all__ = ["opened_for_writing"]


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
    elif _is_no_file(target):  # a pipe or a device: its name must stay what it is
        with open(target, "wb") as file, _compressed(file, os.fspath(target)) as out:
            yield out
    else:
        with _replacing(os.path.realpath(target)) as file, _compressed(file, os.fspath(target)) as out:
            yield out


def _is_no_file(path: str | os.PathLike[str]) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


@contextmanager
def _replacing(path: str) -> Iterator[IO[bytes]]:
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(beside, "xb") as file:
            with contextlib.suppress(OSError):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(path).st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


@contextmanager
def _compressed(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    packed: Any = None
    if name.endswith(".gz"):
        import gzip

        packed = gzip.GzipFile("", "wb", fileobj=file)
    elif name.endswith(".bz2"):
        import bz2

        packed = bz2.BZ2File(file, "wb")
    elif name.endswith(".xz"):
        import lzma

        packed = lzma.LZMAFile(file, "wb")
    if packed is None:
        yield file
    else:
        with packed:
            yield packed
