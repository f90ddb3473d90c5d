"""The weights that an objective likes best, from few rows to many.

*Given* stages, each an objective of more rows than the last, *minimises* objective(w) + price · Σ_k w_k over w ≥ 0 by
L-BFGS-B, each stage from where the last ended; the first one from the best of some starts.
*Stops when* a step improves by less than `tol`, at the most steps, or when time is up: with the best so far.

The price keeps features out that chance favours: the slope of an objective by the weight of a column of noise is about
as large as 1 / √n, and weights whose slope is below the price stay zero. What is left of the others is told by how far
they reach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple, Protocol

import numpy as np

from mercer.solvers import Status
from mercer.typing import Floats

__all__ = ["Found", "Limits", "Stage", "search"]


class Objective(Protocol):
    """A value, to be small, and its slopes; of weights and of other parameters after them, which have bounds."""

    extra_bounds: tuple[tuple[float, float], ...]

    def __call__(self, parameters: Floats, /) -> tuple[float, Floats]: ...


class Stage(NamedTuple):
    """An objective, made when its turn comes, and what a unit of weight costs in it."""

    objective: Callable[[], Objective]
    price: float


@dataclass(frozen=True)
class Limits:
    """When to stop: steps in each stage, the least improvement of a step, and a time on the clock `perf_counter`."""

    steps: int
    tol: float
    ends: float = np.inf


class Found(NamedTuple):
    """The weights and other parameters, what they cost, how often that was asked for, steps, and how it ended."""

    weights: Floats
    extra: Floats
    value: float
    evaluations: int
    steps: int
    status: Status


class _TimeIsUp(Exception):
    """The search ends with the best so far."""


class _Priced:
    """An objective with its price, which remembers the best that it was asked for."""

    def __init__(self, stage: Stage, features: int, ends: float, is_first: bool) -> None:
        self._objective, self._price, self._features = stage.objective(), stage.price, features
        self._ends = ends
        self._must_answer = is_first
        self.bounds = [(0.0, np.inf)] * features + list(self._objective.extra_bounds)
        self.best: Floats | None = None
        self.least = np.inf
        self.evaluations = 0

    def best_of(self, starts: Sequence[Floats]) -> Floats:
        """The start that is best at no price: with it, weights near zero, from where no slope leads on, would be."""
        values = [self(start)[0] - self._cost(start) for start in starts]
        return starts[int(np.argmin(values))]

    def _cost(self, parameters: Floats) -> float:
        return self._price * float(parameters[: self._features].sum())

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        if perf_counter() >= self._ends and not (self._must_answer and self.best is None):
            raise _TimeIsUp
        self.evaluations += 1
        value, slopes = self._objective(parameters)
        value += self._cost(parameters)
        slopes[: self._features] += self._price
        if self.best is None or value < self.least:
            self.best, self.least = parameters.copy(), value
        return value, slopes


def search(stages: Sequence[Stage], starts: Sequence[Floats], features: int, limits: Limits) -> Found:
    """The best parameters of the last stage; all starts are tried in the first.

    Parameters
    ----------
    stages : sequence of Stage
        From few rows to many.
    starts : sequence of ndarray
        Weights of the features, and other parameters after them.
    features : int
        How many weights there are.
    limits : Limits
        When to stop.
    """
    found, evaluations, steps = starts[0], 0, 0
    value, status = np.inf, Status.STEADY
    for number, stage in enumerate(stages):
        priced = _Priced(stage, features, limits.ends, is_first=number == 0)
        try:
            if number == 0:
                found = priced.best_of(starts)
            taken, status = _descend(priced, found, limits)
            steps += taken
        except _TimeIsUp:
            status = Status.TIME_LIMIT
        evaluations += priced.evaluations
        if priced.best is not None:
            found, value = priced.best, priced.least
        if status is Status.TIME_LIMIT:
            break
    return Found(found[:features], found[features:], value, evaluations, steps, status)


def _descend(priced: _Priced, start: Floats, limits: Limits) -> tuple[int, Status]:
    from scipy.optimize import minimize  # importing it takes longer than a small fit of other machines

    options = {"maxiter": limits.steps, "ftol": limits.tol}
    ended = minimize(priced, start, jac=True, method="L-BFGS-B", bounds=priced.bounds, options=options)
    is_out_of_steps = ended.nit >= limits.steps and not ended.success
    return int(ended.nit), Status.ITERATION_LIMIT if is_out_of_steps else Status.STEADY
