"""What every solver of the lectures does beside its steps: count them, keep to the limits, and record them."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from mercer.solvers.lectures.dual import SmallDual
from mercer.solvers.protocol import Terms
from mercer.solvers.status import Status
from mercer.solvers.trace import Step
from mercer.typing import Floats, Integers

__all__ = ["Ended", "Pace"]

# Beyond so many steps, which take half a minute, the data are too badly scaled for a method of the lectures.
_MOST_STEPS = 1_000_000
# Seconds between two reports of progress.
_SECONDS_BETWEEN_REPORTS = 0.1


class Ended(Exception):
    """A limit is reached, or the callback wants an end."""

    def __init__(self, status: Status) -> None:
        self.status = status


class Pace:
    """Counts the steps of one binary problem; `step` raises `Ended` where the terms are used up."""

    def __init__(self, dual: SmallDual, number: int, terms: Terms) -> None:
        self.count = 0
        self._dual = dual
        self._number = number
        self._terms = terms
        self._began = self._told = perf_counter()

    @property
    def left(self) -> Terms:
        """What is left to the step that is being taken."""
        return self._terms.after(self.count - 1)

    def step(self) -> None:
        """One more step is about to be taken."""
        now = perf_counter()
        if self.count >= self._terms.steps:
            raise Ended(Status.ITERATION_LIMIT)
        if self.count >= _MOST_STEPS:
            raise Ended(Status.STALLED)
        if now >= self._terms.ends:
            raise Ended(Status.TIME_LIMIT)
        if self._terms.report is not None and now - self._told >= _SECONDS_BETWEEN_REPORTS:
            self._told = now
            if self._terms.report(now - self._began, self.count, np.nan, self._dual.rows, self._number):
                raise Ended(Status.INTERRUPTED)
        self.count += 1

    def record(
        self,
        kind: str,
        rows: Integers | list[int],
        old: Floats | list[float],
        alpha: Floats,
        intercept: float | None = None,
        low: float = -np.inf,
        high: float = np.inf,
    ) -> None:
        """Writes down what became of some multipliers, with the objectives after it."""
        if self._terms.record is None:
            return
        dual, places = self._dual, [int(row) for row in rows]
        signs = dual.t[places]
        b = dual.intercept(alpha) if intercept is None else intercept
        self._terms.record.append(
            Step(
                problem=self._number,
                kind=kind,
                rows=tuple(places),
                old=tuple((signs * np.asarray(old)).tolist()),
                new=tuple((signs * alpha[places]).tolist()),
                low=float(low),
                high=float(high),
                dual=dual.dual(alpha),
                primal=dual.primal(alpha, b),
                violation=dual.violation(alpha),
                intercept=float(b),
            )
        )
