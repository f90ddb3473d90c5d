"""The largest likelihood within bounds, from one start or from several side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import available_threads
from mercer.solvers.direct.threads import few_threads
from mercer.typing import Floats

__all__ = ["OUT_OF_TIME", "Objective", "Optimum", "SearchEnded", "maximise", "maximise_each"]

# Up to so many rows one thread for a start is used better than several for one start after the other: factorisations
# share little work, and a start holds some matrices of rows × rows.
_FEW_ROWS = 2000

#: What kept a search from its end that was out of time.
OUT_OF_TIME = "out of time"

#: What is maximised: θ to its value and slopes.
Objective = Callable[[Floats], tuple[float, Floats]]


class Optimum(NamedTuple):
    """The best θ found, the value there, how often it was asked for, and what kept the search from its end."""

    theta: Floats
    value: float
    evaluations: int
    trouble: str | None = None


class SearchEnded(Exception):
    """The search is over, for there is no time left or somebody else ended it. Objectives may raise it as well."""


class _Ends(NamedTuple):
    """What ends a search before it is at a maximum."""

    elsewhere: Event
    time: float
    growth: float | None

    @property
    def are_here(self) -> bool:
        return self.elsewhere.is_set() or perf_counter() >= self.time

    @property
    def options(self) -> dict[str, float]:
        """Of L-BFGS-B."""
        return {} if self.growth is None else {"ftol": self.growth}


def maximise(
    objective: Objective,
    starts: Sequence[Floats],
    bounds: Floats,
    rows: int,
    optimizer: Any = None,
    *,
    ends: float = math.inf,
    growth: float | None = None,
) -> Optimum:
    """The best of the local maxima that the starts lead to, the first among equals; by L-BFGS-B, or the given one.

    `optimizer` is called as scikit-learn calls it, with the negative of the objective. The search ends where it is at
    the time `ends`, on the clock `perf_counter`; that by L-BFGS-B also where a step adds less than `growth`, of a value
    around one or of the share of a larger one.
    """
    found = maximise_each(objective, starts, bounds, rows, optimizer, ends=ends, growth=growth)
    best = max(found, key=lambda optimum: optimum.value)
    is_cut = any(optimum.trouble == OUT_OF_TIME for optimum in found)
    evaluations = sum(optimum.evaluations for optimum in found)
    return best._replace(evaluations=evaluations, trouble=OUT_OF_TIME if is_cut else best.trouble)


def maximise_each(
    objective: Objective,
    starts: Sequence[Floats],
    bounds: Floats,
    rows: int,
    optimizer: Any = None,
    *,
    ends: float = math.inf,
    growth: float | None = None,
) -> list[Optimum]:
    """The local maxima that the starts lead to, in their order; of few rows side by side."""
    ended = Event()

    def one(start: Floats) -> Optimum:
        return _climb(
            objective, np.clip(start, bounds[:, 0], bounds[:, 1]), bounds, optimizer, _Ends(ended, ends, growth)
        )

    threads = min(len(starts), available_threads()) if rows <= _FEW_ROWS and optimizer is None else 1
    with few_threads(rows, 1 if threads > 1 else None):
        if threads == 1:
            return [one(start) for start in starts]
        with ThreadPoolExecutor(threads) as pool:
            try:
                return list(pool.map(one, starts))
            finally:
                ended.set()  # whoever is still at it after an error or Ctrl-C


def _climb(objective: Objective, start: Floats, bounds: Floats, optimizer: Any, ends: _Ends) -> Optimum:
    best = Optimum(start, -math.inf, 0)

    def cost(theta: Floats, eval_gradient: bool = True) -> Any:
        nonlocal best
        if ends.are_here:
            raise SearchEnded
        value, slopes = objective(theta)
        best = best._replace(evaluations=best.evaluations + 1)
        if value > best.value:
            best = best._replace(theta=np.array(theta, dtype=np.float64), value=float(value))
        return (-value, -slopes) if eval_gradient else -value

    try:
        if optimizer is not None:
            theta, least = optimizer(cost, start, bounds=bounds)
            return Optimum(np.asarray(theta, dtype=np.float64), -float(least), best.evaluations)
        from scipy.optimize import minimize  # importing it takes longer than a small fit of other machines

        found = minimize(cost, start, method="L-BFGS-B", jac=True, bounds=bounds, options=ends.options)
    except SearchEnded:
        return best._replace(trouble=OUT_OF_TIME)
    value = -float(found.fun)
    trouble = None if found.success or not math.isfinite(value) else str(found.message)
    return Optimum(np.asarray(found.x), value, best.evaluations, trouble)
