"""The largest likelihood within bounds, from one start or from several side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import available_threads
from mercer.solvers.direct.threads import few_threads
from mercer.typing import Floats

__all__ = ["Optimum", "maximise"]

# Up to so many rows one thread for a start is used better than several for one start after the other: factorisations
# share little work, and a start holds some matrices of rows × rows.
_FEW_ROWS = 2000

#: What is maximised: θ to its value and slopes.
Objective = Callable[[Floats], tuple[float, Floats]]


class Optimum(NamedTuple):
    """The best θ found, the value there, how often it was asked for, and what kept the search from its end."""

    theta: Floats
    value: float
    evaluations: int
    trouble: str | None = None


class _Given(Exception):
    """Somebody else ended the search."""


def maximise(
    objective: Objective, starts: Sequence[Floats], bounds: Floats, rows: int, optimizer: Any = None
) -> Optimum:
    """The best of the local maxima that the starts lead to, the first among equals; by L-BFGS-B, or the given one.

    `optimizer` is called as scikit-learn calls it, with the negative of the objective.
    """
    ended = Event()

    def one(start: Floats) -> Optimum:
        return _climb(objective, np.clip(start, bounds[:, 0], bounds[:, 1]), bounds, optimizer, ended)

    threads = min(len(starts), available_threads()) if rows <= _FEW_ROWS and optimizer is None else 1
    with few_threads(rows, 1 if threads > 1 else None):
        if threads == 1:
            found = [one(start) for start in starts]
        else:
            with ThreadPoolExecutor(threads) as pool:
                try:
                    found = list(pool.map(one, starts))
                finally:
                    ended.set()  # whoever is still at it after an error or Ctrl-C
    best = max(found, key=lambda optimum: optimum.value)
    return best._replace(evaluations=sum(optimum.evaluations for optimum in found))


def _climb(objective: Objective, start: Floats, bounds: Floats, optimizer: Any, ended: Event) -> Optimum:
    asked = 0

    def cost(theta: Floats, eval_gradient: bool = True) -> Any:
        nonlocal asked
        if ended.is_set():
            raise _Given
        asked += 1
        value, slopes = objective(theta)
        return (-value, -slopes) if eval_gradient else -value

    if optimizer is not None:
        theta, least = optimizer(cost, start, bounds=bounds)
        return Optimum(np.asarray(theta, dtype=np.float64), -float(least), asked)
    from scipy.optimize import minimize  # importing it takes longer than a small fit of other machines

    found = minimize(cost, start, method="L-BFGS-B", jac=True, bounds=bounds)
    value = -float(found.fun)
    trouble = None if found.success or not math.isfinite(value) else str(found.message)
    return Optimum(np.asarray(found.x), value, asked, trouble)
