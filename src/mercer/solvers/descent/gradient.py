"""Stochastic gradient descent on linear machines.

Solves       mean of weight · loss(y, w·x + b) + ½ l2 ‖w‖² + l1 ‖w‖₁ + p b, roughly; one problem or several side by side
Given        rows with targets, a loss, penalties, the length of steps, the number of passes
Returns      weights, their average, and how each problem ended
Stops when   the passes are done or no longer help, or as the status says
See          docs/guides/sgd.md; Bottou (2012), Stochastic gradient descent tricks
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.data import as_core_data
from mercer.solvers.protocol import Report
from mercer.solvers.status import Status
from mercer.typing import Floats, Integers

__all__ = ["DescentTargets", "DescentState", "Descended", "GradientDescent", "RATES"]

_LOSSES = {
    "hinge": core.SgdLoss.HINGE,
    "squared_hinge": core.SgdLoss.SQUARED_HINGE,
    "log_loss": core.SgdLoss.LOGISTIC,
    "softmax": core.SgdLoss.SOFTMAX,
    "squared_error": core.SgdLoss.SQUARED,
    "epsilon_insensitive": core.SgdLoss.EPSILON_INSENSITIVE,
    "squared_epsilon_insensitive": core.SgdLoss.SQUARED_EPSILON_INSENSITIVE,
    "huber": core.SgdLoss.HUBER,
    "modified_huber": core.SgdLoss.MODIFIED_HUBER,
    "perceptron": core.SgdLoss.PERCEPTRON,
}
RATES = {
    "constant": core.SgdRate.CONSTANT,
    "optimal": core.SgdRate.OPTIMAL,
    "invscaling": core.SgdRate.INVERSE_SCALING,
    "adaptive": core.SgdRate.ADAPTIVE,
}
_STATUS = {
    core.SgdEnd.RIGHT: Status.SEPARATED,
    core.SgdEnd.STEADY: Status.STEADY,
    core.SgdEnd.DIVERGED: Status.DIVERGED,
    core.SgdEnd.TIME_LIMIT: Status.TIME_LIMIT,
    core.SgdEnd.INTERRUPTED: Status.INTERRUPTED,
}


class DescentTargets(NamedTuple):
    """What is to be learned of every row of a matrix.

    `y` are targets, or class numbers: then `positive` has for each problem the class that is +1 against all others, or
    −1 where one problem learns a function for each class. Beside the weights of the rows, `class_weights` has for each
    problem what the others and what that class weigh.
    """

    y: Floats
    weights: Floats | None
    positive: tuple[int, ...]
    class_weights: tuple[tuple[float, float], ...] = ((1.0, 1.0),)
    functions: int = 1

    def against_rest(self, problem: int, y: Floats, own: Floats) -> tuple[Floats, Floats]:
        """Signs of rows with these class numbers in a problem of one class against the others, and what they weigh."""
        signs = np.where(y == self.positive[problem], 1.0, -1.0)
        rest, positive = self.class_weights[problem]
        return signs, own * np.where(signs > 0, positive, rest)

    def of_rows(self, X: core.Data, rows: Integers | None) -> core.KnownRows:
        """Some rows with what is known of them, as the core takes them; None means all."""
        if rows is None:
            return core.KnownRows(X, None, self.y, self.weights)
        weights = None if self.weights is None else self.weights[rows]
        return core.KnownRows(X, rows.astype(np.int64, copy=False), self.y[rows], weights)


class DescentState(NamedTuple):
    """Where descents are: a row a problem, with all its functions' weights, each with its intercept behind them."""

    w: Floats
    average: Floats
    updates: list[int]

    @classmethod
    def at(cls, coef: Floats, intercept: Floats, problems: int) -> DescentState:
        """A start at these weights, a row a function."""
        w = np.column_stack([coef, intercept]).reshape(problems, -1).astype(np.float64)
        return cls(w, np.zeros_like(w), [0] * problems)


class Descended(NamedTuple):
    """Where descents have come to, after how many passes and slopes other than zero, and how each ended."""

    state: DescentState
    passes: list[int]
    pulls: list[int]
    statuses: list[Status]


class GradientDescent(NamedTuple):
    """How to go down: see the parameters of `SGDClassifier`. `tol` is −inf where nothing but `passes` is to end it.

    `offset_price` is p, zero but for one class. `until_right` ends it after a pass in which every slope was zero.
    """

    loss: str
    epsilon: float
    l2: float
    l1: float
    alpha: float
    rate: str
    eta0: float
    power_t: float
    batch_size: int
    passes: int
    tol: float
    patience: int
    average: int
    fit_intercept: bool
    shuffle: bool
    offset_price: float = 0.0
    until_right: bool = False

    def descend(
        self,
        X: Any,
        targets: DescentTargets,
        training: Integers | None,
        held_out: Integers | None,
        start: DescentState,
        seeds: Sequence[int],
        threads: int,
        seconds: float,
        report: Report | None,
    ) -> Descended:
        """Goes down from the start on the training rows; those held out judge the passes, where there are some."""
        data = as_core_data(X)
        w, average, updates, passes, pulls, ends = core.descend(
            training=targets.of_rows(data, training),
            held_out=None if held_out is None else targets.of_rows(data, held_out),
            positive=targets.positive,
            class_weights=targets.class_weights,
            functions=targets.functions,
            w=start.w,
            average=start.average,
            updates=start.updates,
            seeds=seeds,
            options=self._lowered(),
            threads=threads,
            seconds=seconds,
            report=report,
        )
        asked_for_passes = self.tol == -np.inf and not self.until_right
        done = Status.PASSES_DONE if asked_for_passes else Status.ITERATION_LIMIT
        return Descended(DescentState(w, average, updates), passes, pulls, [_STATUS.get(end, done) for end in ends])

    def weights_of(self, state: DescentState) -> Floats:
        """The averages of problems that have made steps enough to have one, else the weights themselves."""
        averaged = np.array([0 < self.average <= updates for updates in state.updates])
        return np.where(averaged[:, None], state.average, state.w)

    def _lowered(self) -> core.SgdOptions:
        return core.SgdOptions(
            loss=_LOSSES[self.loss],
            epsilon=self.epsilon,
            l2=self.l2,
            l1=self.l1,
            rate=RATES[self.rate],
            alpha=self.alpha,
            eta0=self.eta0,
            power_t=self.power_t,
            batch_size=self.batch_size,
            max_passes=self.passes,
            tol=self.tol,
            patience=self.patience,
            average=self.average,
            fit_intercept=self.fit_intercept,
            shuffle=self.shuffle,
            offset_price=self.offset_price,
            until_right=self.until_right,
        )
