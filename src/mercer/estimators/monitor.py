"""Who hears of progress: the user's callback, the log and the progress bar."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

from mercer.solvers import Progress

__all__ = ["Monitor", "DescentMonitor"]

_log = logging.getLogger("mercer")


class Monitor:
    """Turns the core's reports into calls of `callback`, lines in the log "mercer" and a bar on a terminal."""

    def __init__(self, callback: Callable[[Progress], Any] | None, verbose: bool) -> None:
        self._callback = callback
        self._verbose = verbose
        self.problems = 1
        self._began = perf_counter()
        self._bar = verbose and sys.stderr.isatty()
        self._next_line = 1.0
        self._told_to_stop = False

    @property
    def seconds(self) -> float:
        return perf_counter() - self._began

    def after(self, seconds: float) -> float:
        """When so many seconds will have passed, on the clock `perf_counter`."""
        return self._began + seconds

    def report(self, _: float, steps: int, violation: float, active_rows: int, problem: int) -> bool:
        """What the core calls; returns True to stop."""
        progress = Progress(self.seconds, steps, violation, active_rows, problem, self.problems)
        if self._verbose:
            self._show(progress)
        if self._callback is not None and not self._told_to_stop:
            self._told_to_stop = bool(self._callback(progress))
        return self._told_to_stop

    def _show(self, progress: Progress) -> None:
        line = self._line(progress)
        if self._bar:
            print(f"\r{line:<79}", end="", file=sys.stderr, flush=True)
        elif progress.seconds >= self._next_line:
            self._next_line = progress.seconds + 1.0
            _log.info(line)

    def _line(self, progress: Progress) -> str:
        return (
            f"problem {progress.problem + 1}/{progress.problems}: {progress.steps} steps, violation "
            f"{progress.violation:.2g}, {progress.active_rows} active rows, {progress.seconds:.1f} s"
        )

    def finish(self, message: str) -> None:
        """The last word of a fit."""
        if self._bar:
            print("\r" + " " * 79 + "\r", end="", file=sys.stderr, flush=True)
        if self._verbose:
            _log.info(message)


class DescentMonitor(Monitor):
    """Descents go down side by side, and know no violation."""

    def _line(self, progress: Progress) -> str:
        return f"{progress.steps} steps in {progress.problems} problems, {progress.seconds:.1f} s"
