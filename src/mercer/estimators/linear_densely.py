"""The last resort of linear machines: small problems that stalled are solved densely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.certificates import Certificate
from mercer.gram import TrainingData, dense_rows
from mercer.kernels import Linear
from mercer.problems import CrammerSingerProblem, Intercept, LinearProblem
from mercer.solvers import (
    DenseMachine,
    Limits,
    LinearResult,
    Report,
    Status,
    may_solve_linear_densely,
    rounded_sum,
    solve_linear_dense,
)

__all__ = ["precise_sums", "solved_densely"]

#: The certificate of a result.
Certify = Callable[[LinearResult], Certificate]


def solved_densely(
    problem: LinearProblem | CrammerSingerProblem,
    X: Any,
    intercept: Intercept,
    scaling: float,
    certify: Certify,
    stalled: LinearResult,
    tol: float,
    limits: Limits,
    threads: int,
    report: Report | None = None,
) -> LinearResult:
    """What a dense method makes of a result that stalled: nothing worse; the same where there are too many rows."""
    if not may_solve_linear_densely(problem, X):
        return stalled

    def judge(machine: DenseMachine) -> float:
        return abs(certify(stalled._replace(**machine._asdict())).relative_gap)

    training = TrainingData(Linear(), X).rows(problem.rows)
    start = DenseMachine(stalled.weights, stalled.intercept, stalled.coef, stalled.coef_low)
    terms = (intercept, scaling, judge, start, tol, limits, threads, report)
    found = solve_linear_dense(problem, training, *terms)
    steps = stalled.steps + found.steps
    status = found.status if found.status in (Status.TIME_LIMIT, Status.INTERRUPTED) else Status.STALLED
    return stalled._replace(**found.machine._asdict(), steps=steps, status=status)


def precise_sums(problem: LinearProblem | CrammerSingerProblem, X: Any, found: LinearResult) -> tuple[Any, Any] | None:
    """Σ c_i x_i and Σ c_i of dual variables with more digits than float64, for each class; None of others."""
    if found.coef_low is None:
        return None
    rows, columns = dense_rows(TrainingData(Linear(), X).rows(problem.rows))
    high, low = np.atleast_2d(found.coef.T), np.atleast_2d(found.coef_low.T)
    sums = np.zeros((len(high), X.shape[1]))
    for own, one in zip(sums, zip(high, low, strict=True), strict=True):
        own[columns] = core.twofold_sum_of_rows(rows, *map(np.ascontiguousarray, one))
    totals = np.array([rounded_sum(*one) for one in zip(high, low, strict=True)])
    return (sums, totals) if isinstance(problem, CrammerSingerProblem) else (sums[0], float(totals[0]))
