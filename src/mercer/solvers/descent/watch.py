"""When a solver in Python has to stop: the deadline, and the wish of who hears of its progress."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from mercer.solvers.protocol import Report
from mercer.solvers.status import Status

__all__ = ["Stopped", "Watch"]

_SECONDS_BETWEEN_REPORTS = 0.1


class Stopped(Exception):
    """Raised between two steps, and caught by whoever has something to show for those made."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.value)
        self.status = status


class Watch:
    """Looks at the clock, and tells of progress about ten times a second, as the core does."""

    def __init__(self, seconds: float = np.inf, report: Report | None = None) -> None:
        self._began = perf_counter()
        self._seconds = seconds
        self._report = report
        self._next_report = _SECONDS_BETWEEN_REPORTS
        self.steps = 0

    def look(self) -> None:
        """Raises `Stopped` where it is time."""
        now = perf_counter() - self._began
        if now >= self._seconds:
            raise Stopped(Status.TIME_LIMIT)
        if self._report is not None and now >= self._next_report:
            self._next_report = now + _SECONDS_BETWEEN_REPORTS
            if self._report(now, self.steps, np.inf, 0, 0):
                raise Stopped(Status.INTERRUPTED)
