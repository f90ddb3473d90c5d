"""Who hears how a search goes on: a callback, the log, and a bar on a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

__all__ = ["CallbackTasks", "SearchMonitor", "SearchProgress"]

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


class CallbackTasks:
    """Turns results into tasks of scikit-learn's callbacks (1.9), as its own search names them."""

    def __init__(self, search: Any, fits: int) -> None:
        self._search = search
        begin = getattr(search, "_init_callback_context", None)
        if begin is None or not getattr(search, "_skl_callbacks", None):
            self._root = self._task = None
            return
        self._root = begin(max_subtasks=2).call_on_fit_task_begin(estimator=search)
        own = self._root.subcontext(task_name="search", max_subtasks=fits, sequential_subtasks=False)
        self._task = own.call_on_fit_task_begin(estimator=search)

    def tell(self, number: int) -> None:
        """One fit is done."""
        if self._task is not None:
            one = self._task.subcontext(task_name="candidate-split-evaluation", task_id=number)
            one.call_on_fit_task_begin(estimator=self._search).call_on_fit_task_end(estimator=self._search)

    def end(self) -> None:
        """All are, and the machine of all rows is fitted."""
        if self._task is not None and self._root is not None:
            self._task.call_on_fit_task_end(estimator=self._search)
            last = self._root.subcontext(task_name="refit-with-best-params")
            last.call_on_fit_task_begin(estimator=self._search).call_on_fit_task_end(estimator=self._search)
            self._root.call_on_fit_task_end(estimator=self._search)
