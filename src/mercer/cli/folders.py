"""The folder that results go to, proven before the work begins and not only at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

__all__ = ["output_folder"]


@contextmanager
def output_folder(path: Path) -> Iterator[Path]:
    """The folder, made if it is not there; where its body fails, folders that were made for it are gone again.

    Raises
    ------
    OSError
        Where it cannot be made, or nothing can be written in it.
    """
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        try:
            with TemporaryFile(dir=path):
                pass
        except OSError as error:  # which names a file that nobody asked for
            raise OSError(error.errno, error.strerror, str(path)) from error
        yield path
    except BaseException:
        for folder in made:
            # One that has something in it stays.
            with suppress(OSError):
                folder.rmdir()
        raise
