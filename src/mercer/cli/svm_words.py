"""How LIBSVM's programs read their options and tell of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

from mercer.errors import MercerError

__all__ = ["Ended", "UsageError", "closing_pipes", "real_number", "told_errors", "whole_number"]


class UsageError(Exception):
    """The command line is not one; the usage is printed."""


class Ended:
    """How a program ended: its exit code."""

    code = 0


@contextmanager
def told_errors(usage: str) -> Iterator[Ended]:
    """Turns errors into words on stderr and an exit code of 1; errors of the command line print the usage too."""
    ended = Ended()
    try:
        yield ended
    except UsageError as error:
        if str(error):
            print(error, file=sys.stderr)
        sys.stdout.write(usage)
        ended.code = 1
    except MercerError as error:
        print(error, file=sys.stderr)
        ended.code = 1
    except MemoryError:
        print("can't allocate enough memory", file=sys.stderr)
        ended.code = 1


def closing_pipes(main: Callable[[list[str]], int]) -> Callable[[list[str]], int]:
    """A program that ends in silence where nobody reads on, as in `svm-scale data | head`."""

    @wraps(main)
    def run(arguments: list[str]) -> int:
        try:
            code = main(arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            # What Python still holds for stdout is to be lost in silence at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        return code

    return run


def whole_number(text: str) -> int:
    """What an option says; words and fractions are refused, which LIBSVM takes for what they begin with."""
    value = real_number(text)
    if value != int(value):
        raise UsageError(f"error converting {text} to int: expected a whole number")
    return int(value)


def real_number(text: str) -> float:
    """The same of any finite number."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise UsageError(f"error converting {text} to float: expected a number")
    return value
