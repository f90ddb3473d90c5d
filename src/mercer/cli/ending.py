"""How a command ends: exit codes, and errors as sentences on standard error."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from enum import IntEnum

import click

from mercer.errors import MercerError, ParameterError

__all__ = ["Ending", "ended"]


class Ending(IntEnum):
    """What a command's exit code says."""

    FINE = 0
    UNPROVEN = 1
    """A machine was made, or looked at, whose certificate does not hold."""
    USAGE = 2
    """The command line is not one."""
    INPUT = 3
    """Data or a model that cannot be used."""
    FILE = 4
    """A file that cannot be read or written."""
    INTERRUPTED = 130


# What the system says of files, and what to do about it.
_ADVICE = {
    errno.ENOENT: "Check the name and the folder.",
    errno.EACCES: "Check its permissions, or choose another place.",
    errno.EPERM: "Check its permissions, or choose another place.",
    errno.ENOSPC: "The disk is full: make room, or choose another place.",
    errno.EROFS: "The disk cannot be written to: choose another place.",
    errno.EISDIR: "It is a folder: name a file.",
}


def ended(body: Callable[[], int | None]) -> int:
    """Runs a command to its end; whatever it raises on purpose becomes a sentence and an exit code."""
    try:
        return int(body() or Ending.FINE)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.UsageError as error:
        error.show()
        return Ending.USAGE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _told("interrupted", Ending.INTERRUPTED)
    except BrokenPipeError:
        # Who reads the output has seen enough. What is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Ending.FINE
    except ParameterError as error:
        return _told(f"error: {error}", Ending.USAGE)
    except MercerError as error:
        return _told(f"error: {error}", Ending.INPUT)
    except MemoryError:
        return _told("error: there is not enough memory. Give fewer rows, or a lower --memory.", Ending.INPUT)
    except OSError as error:
        return _told(f"error: {_sentence(error)}", Ending.FILE)


def _sentence(error: OSError) -> str:
    name = f"{os.fspath(error.filename)}: " if error.filename else ""
    advice = _ADVICE.get(error.errno or 0, "")
    return f"{name}{error.strerror or error}. {advice}".rstrip()


def _told(words: str, code: Ending) -> int:
    print(words, file=sys.stderr)
    return code
