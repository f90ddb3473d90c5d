"""One deadline for all that a call does: the core asks how much time is left, and loops in Python check it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.errors import TimeLimitError

__all__ = ["check_deadline", "deadline", "seconds_left"]


class _Deadline(NamedTuple):
    ends: float
    task: str
    limit: float

    @property
    def error(self) -> TimeLimitError:
        return TimeLimitError(
            f"{self.task}: expected to be done within time_limit={self.limit:g} seconds, got no answer by then, and "
            "there is none by halves. Raise time_limit, or ask for less at a time: fewer rows or fewer queries."
        )


# Of the call at hand. Threads that are started for it take part only with a copy of its context.
_CURRENT: ContextVar[_Deadline | None] = ContextVar("mercer.deadline", default=None)


@contextmanager
def deadline(task: str, time_limit: float) -> Iterator[None]:
    """What its body does, in the core too, raises `TimeLimitError` once so many seconds have passed.

    Within another the earlier of the two holds.

    Parameters
    ----------
    task : str
        What is limited, for the error.
    time_limit : float
        In seconds.
    """
    own, outer = _Deadline(time.monotonic() + time_limit, task, time_limit), _CURRENT.get()
    current = own if outer is None or own.ends < outer.ends else outer
    token = _CURRENT.set(current)
    try:
        yield
    except core.Stopped:
        raise current.error from None
    finally:
        _CURRENT.reset(token)


def seconds_left() -> float:
    """Until the deadline of the call at hand; infinite where there is none."""
    current = _CURRENT.get()
    return np.inf if current is None else current.ends - time.monotonic()


def check_deadline() -> None:
    """Raises `TimeLimitError` where no time is left."""
    current = _CURRENT.get()
    if current is not None and time.monotonic() >= current.ends:
        raise current.error


def _seconds_for_the_core() -> float:
    check_deadline()  # work of a moment would be done before the core looks
    return seconds_left()


core.set_seconds_left(_seconds_for_the_core)
