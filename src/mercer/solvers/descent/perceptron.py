"""Rosenblatt's perceptron under a kernel: functions learned from mistakes, through sums of the rows mistaken.

Solves       find f with tᵢ f(xᵢ) > 0 for all rows, where f(x) = wᵀφ(x) + b
Given        kernel values, signs t, what rows weigh, and the orders of the passes
Returns      the coefficients c of the rows, b, the number of mistakes and of passes, and how it ended
Stops when   a pass makes no mistake, passes no longer help, they are used up, or the watch says so
See          Rosenblatt 1958; Novikoff 1962 on the number of mistakes; Aizerman and others 1964 on kernels

At a mistake, tᵢ f(xᵢ) ≤ 0, the plane moves towards the row: w ← w + η tᵢ φ(xᵢ) and b ← b + η tᵢ, with η the length of
the steps times what the row weighs. So w is Σ cᵢ φ(xᵢ), and f(x) = Σ cᵢ k(xᵢ, x) + b needs the kernel only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.errors import kernel_overflow
from mercer.rows import Rows
from mercer.solvers.descent.watch import Stopped, Watch
from mercer.solvers.status import Status
from mercer.typing import Floats, Integers

__all__ = ["KernelRows", "MistakeLearner", "MistakeRules", "RowsToLearn", "learn_from_mistakes"]

# A row that was mistaken once is likely to be again; its kernel values are kept as long as all fit these 200 MB.
_CACHED_VALUES = 25_000_000
# So many rows at a time are searched for a mistake.
_ROWS_AHEAD = 1024


class MistakeRules(NamedTuple):
    """How long the steps are and when they end: the parameters of `Perceptron`.

    `tol` is −inf where nothing but mistakes and `passes` is to end them.
    """

    step: float
    passes: int
    tol: float
    patience: int
    fit_intercept: bool


class RowsToLearn(NamedTuple):
    """What one function is to learn: signs and weights of all rows, those it visits, and those that judge it."""

    signs: Floats
    weights: Floats
    training: Integers
    held_out: Integers | None


class KernelRows:
    """Kernel values of one training row with all of them, for all functions that ask."""

    def __init__(self, rows: Rows, watch: Watch) -> None:
        self.kernel = rows.kernel
        watched = rows.watched(watch.look)

        def of_row(row: int) -> Floats:
            return np.asarray(watched.values(np.array([row]))[0])

        self.of_row = lru_cache(maxsize=max(1, _CACHED_VALUES // len(rows)))(of_row)


class MistakeLearner:
    """f(x) = Σ cᵢ k(xᵢ, x) + b on its way, with its values at all training rows."""

    def __init__(self, rows: KernelRows, task: RowsToLearn, rules: MistakeRules, orders: core.Orders) -> None:
        self._rows = rows
        self._task = task
        self._rules = rules
        self._orders = orders
        self._best = -np.inf
        self._in_vain = 0
        self.c: Floats = np.zeros(len(task.signs))
        self.b = 0.0
        self.values: Floats = np.zeros(len(task.signs))
        self._knows_values = True
        self.mistakes = self.passes = self.visited = 0
        self.status: Status | None = None

    def start_at(self, c: Floats, b: float) -> None:
        """Begins with these coefficients; the first pass works out the values, which are NaN until then."""
        self.c, self.b, self.values = c.copy(), b, np.full(len(c), np.nan)
        self._knows_values = False

    def _learn_values(self) -> None:
        values = np.full(len(self.c), self.b)
        for row in np.flatnonzero(self.c).tolist():
            values += self.c[row] * self._rows.of_row(row)
        self.values, self._knows_values = values, True

    def make_pass(self, watch: Watch) -> None:
        """Visits every row once, corrects f at each mistake, and decides whether that was the last pass."""
        if not self._knows_values:
            self._learn_values()
        task = self._task
        order = task.training[self._orders.next()]
        before, loss, place = self.mistakes, 0.0, 0
        while place < len(order):
            watch.look()
            ahead = order[place : place + _ROWS_AHEAD]
            margins = task.signs[ahead] * self.values[ahead]
            wrong = ~(margins > 0)  # so that NaN is a mistake as well
            first = int(wrong.argmax())
            visited = first + 1 if wrong[first] else len(ahead)
            if wrong[first]:
                self._correct(int(ahead[first]))
                loss -= float(task.weights[ahead[first]] * margins[first])
            place += visited
            self.visited += visited
            watch.steps += visited
        self.passes += 1
        if not np.isfinite(loss):
            raise kernel_overflow(self._rows.kernel)
        self.status = self._end(self.mistakes - before, loss / len(order))

    def _correct(self, row: int) -> None:
        kernel_values = self._rows.of_row(row)
        step = self._rules.step * float(self._task.weights[row] * self._task.signs[row])
        self.c[row] += step
        self.values += step * kernel_values
        if self._rules.fit_intercept:
            self.b += step
            self.values += step
        self.mistakes += 1

    def _end(self, mistakes: int, mean_loss: float) -> Status | None:
        """How a pass with so many mistakes was the last; None where it was not."""
        if mistakes == 0:
            return Status.SEPARATED
        merit = -mean_loss if self._task.held_out is None else self._share_right(self._task.held_out)
        self._in_vain = 0 if merit >= self._best + self._rules.tol else self._in_vain + 1
        self._best = max(self._best, merit)
        if self._in_vain >= self._rules.patience:
            return Status.STEADY
        return Status.ITERATION_LIMIT if self.passes == self._rules.passes else None

    def _share_right(self, rows: Integers) -> float:
        right = (self.values[rows] > 0) == (self._task.signs[rows] > 0)
        return float(np.average(right, weights=self._task.weights[rows]))


def learn_from_mistakes(learners: Sequence[MistakeLearner], watch: Watch) -> list[Status]:
    """Makes passes, one learner after the other, until all are done or the watch stops those that are not."""
    try:
        while at_work := [learner for learner in learners if learner.status is None]:
            for learner in at_work:
                learner.make_pass(watch)
    except Stopped as stopped:
        return [learner.status or stopped.status for learner in learners]
    return [learner.status for learner in learners if learner.status is not None]
