"""The last resort of linear machines: small problems that stalled are solved densely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mercer.certificates import Certificate
from mercer.gram import TrainingData
from mercer.kernels import Linear
from mercer.problems import CrammerSingerProblem, Intercept, LinearProblem
from mercer.solvers import (
    DenseMachine,
    Limits,
    LinearResult,
    Report,
    Status,
    may_solve_linear_densely,
    solve_linear_dense,
)

__all__ = ["solved_densely"]

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
    report: Report | None,
) -> LinearResult:
    """What a dense method makes of a result that stalled: nothing worse; the same where there are too many rows."""
    if not may_solve_linear_densely(problem, X):
        return stalled

    def judge(machine: DenseMachine) -> float:
        return abs(certify(stalled._replace(**machine._asdict())).relative_gap)

    training = TrainingData(Linear(), X).rows(problem.rows)
    start = DenseMachine(stalled.weights, stalled.intercept, stalled.coef)
    terms = (intercept, scaling, judge, start, tol, limits, threads, report)
    found = solve_linear_dense(problem, training, *terms)
    steps = stalled.steps + found.steps
    status = found.status if found.status in (Status.TIME_LIMIT, Status.INTERRUPTED) else Status.STALLED
    return stalled._replace(**found.machine._asdict(), steps=steps, status=status)
