"""Who hears how a search goes on: a callback, the log, and a bar on a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

__all__ = ["SearchMonitor", "SearchProgress"]

_log = logging.getLogger("mercer")


class SearchProgress(NamedTuple):
    """How far a search is.

    Attributes
    ----------
    seconds : float
        Since it began.
    done, total : int
        Fits: cells times folds.
    best_score : float
        The best mean of a cell that is known on all folds; NaN before there is one.
    seconds_left : float
        About, by how long those took that are done.
    """

    seconds: float
    done: int
    total: int
    best_score: float
    seconds_left: float


class SearchMonitor:
    """Tells of each result, no more than ten times a second."""

    _INTERVAL = 0.1

    def __init__(self, callback: Callable[[SearchProgress], Any] | None, verbose: int, total: int) -> None:
        self._callback, self._verbose, self.total = callback, verbose, total
        self._began = self._next = perf_counter()
        self._bar = verbose > 0 and sys.stderr.isatty()
        self.wants_to_stop = False

    def tell(self, done: int, best_score: float, is_last: bool = False) -> None:
        now = perf_counter()
        if now < self._next and not is_last:
            return
        self._next = now + self._INTERVAL
        seconds = now - self._began
        left = seconds / done * (self.total - done) if done else np.inf
        progress = SearchProgress(seconds, done, self.total, best_score, left)
        if self._callback is not None and self._callback(progress):
            self.wants_to_stop = True
        if self._bar:
            line = f"{done}/{self.total} fits, best {best_score:.4f}, {seconds:.1f} s, {left:.0f} s left"
            print(f"\r{line:<79}", end="\n" if is_last else "", file=sys.stderr, flush=True)
        elif self._verbose > 0 and is_last:
            _log.info("%d of %d fits, best %.4f, %.1f s", done, self.total, best_score, seconds)
