"""How a command ends: exit codes, and errors as sentences on standard error."""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import Any

import click

from mercer.cli.terminal import wrapped
from mercer.errors import MercerError, MissingPackageError, ParameterError

__all__ = ["Ending", "OutputClosed", "closing_output", "ended"]


class Ending(IntEnum):
    """What a command's exit code says."""

    FINE = 0
    UNPROVEN = 1
    """A machine was made, or looked at, whose certificate does not hold."""
    USAGE = 2
    """The command line is not one, or asks for a package that is not installed."""
    INPUT = 3
    """Data or a model that cannot be used."""
    FILE = 4
    """A file that cannot be read or written."""
    BUG = 70
    INTERRUPTED = 130


class OutputClosed(Exception):
    """Who reads the output has seen enough."""


@contextmanager
def closing_output() -> Iterator[None]:
    """A closed pipe under a name that click does not know, which would end the program in a way of its own."""
    try:
        yield
    except BrokenPipeError as error:
        raise OutputClosed from error


# What the system says of files, and what to do about it.
_ADVICE = {
    errno.ENOENT: "Check the name and the folder.",
    errno.EACCES: "Check its permissions, or choose another place.",
    errno.EPERM: "Check its permissions, or choose another place.",
    errno.ENOSPC: "The disk is full: make room, or choose another place.",
    errno.EDQUOT: "Your share of the disk is full: make room, or choose another place.",
    errno.EROFS: "The disk cannot be written to: choose another place.",
    errno.EISDIR: "It is a folder: name a file.",
    errno.ENOTDIR: "What should be a folder is a file: choose another place.",
    errno.EEXIST: "A file has the name of the folder: choose another place.",
}


def ended(body: Callable[[], int | None]) -> int:
    """Runs a command to its end; whatever it raises becomes a sentence and an exit code."""
    try:
        with _warnings_as_sentences():
            code = int(body() or Ending.FINE)
            # Here, where what goes wrong can be told: at the end of the process it cannot.
            sys.stdout.flush()
            return code
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        return _usage(error)
    except (KeyboardInterrupt, click.Abort):
        return _told("interrupted", Ending.INTERRUPTED)
    except (BrokenPipeError, OutputClosed):
        _drop_output()
        return Ending.FINE
    except (ParameterError, MissingPackageError) as error:
        return _told(f"error: {error}", Ending.USAGE)
    except MercerError as error:
        return _told(f"error: {error}", Ending.FILE if _is_of_system(error) else Ending.INPUT)
    except MemoryError:
        return _told("error: there is not enough memory. Give fewer rows, or a lower --memory.", Ending.INPUT)
    except OSError as error:
        _drop_output()
        return _told(f"error: {_sentence(error)}", Ending.FILE)
    except Exception:
        traceback.print_exc()
        return _told("This is a bug in Mercer: please report it, with what `mercer info` says.", Ending.BUG)


def _usage(error: click.ClickException) -> int:
    """A wrong command line in words; one without a command is answered with the help."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return Ending.USAGE
    message = error.format_message()
    _told(f"error: {message[:1].lower()}{message[1:]}", Ending.USAGE)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        _told(f"See {error.ctx.command_path} --help.", Ending.USAGE)
    return Ending.USAGE


def _is_of_system(error: BaseException) -> bool:
    """Whether it was the system that could not read or write a file, and not the reader that did not understand it."""
    before = error.__cause__ or error.__context__
    return before is not None and ((isinstance(before, OSError) and bool(before.errno)) or _is_of_system(before))


def _sentence(error: OSError) -> str:
    name = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
    advice = _ADVICE.get(error.errno or 0, "")
    return f"{name}{error.strerror or error}. {advice}".rstrip()


def _told(words: str, code: Ending) -> int:
    # Without anybody to hear it, the code has to do.
    with suppress(OSError):
        print(wrapped(words, sys.stderr), file=sys.stderr, flush=True)
    return code


def _drop_output() -> None:
    """What is still buffered has nowhere to go, and Python would complain of it at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    def show(message: Any, *_: Any, **__: Any) -> None:
        _told(f"warning: {message}", Ending.FINE)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
