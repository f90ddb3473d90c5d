"""The last resort of linear machines: small problems that stalled are solved densely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.certificates import Certificate, certify_crammer_singer, certify_linear
from mercer.gram import TrainingData, TrainingRows, dense_rows, fits_twofold
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
from mercer.typing import Floats

__all__ = ["certify_result", "solved_densely"]

# Rounding of the objective that is no more than this share of it does not matter.
_NEGLIGIBLE = 1e-7

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

    training = _training(problem, X)
    start = DenseMachine(stalled.weights, stalled.intercept, stalled.coef, stalled.coef_low)
    terms = (intercept, scaling, judge, start, tol, limits, threads, report)
    found = solve_linear_dense(problem, training, *terms)
    steps = stalled.steps + found.steps
    status = found.status if found.status in (Status.TIME_LIMIT, Status.INTERRUPTED) else Status.STALLED
    return stalled._replace(**found.machine._asdict(), steps=steps, status=status)


def certify_result(
    problem: LinearProblem | CrammerSingerProblem,
    X: Any,
    data: core.Data,
    norms: Floats,
    intercept: Intercept,
    scaling: float,
    found: LinearResult,
    threads: int,
) -> Certificate:
    """The certificate of a result; of small problems with all digits, where a large C makes rounding dear."""
    machine = (data, norms, found.weights, found.intercept, scaling, intercept, found.coef, threads)
    precise = _sums(problem, X, found)
    if isinstance(problem, CrammerSingerProblem):
        return certify_crammer_singer(problem, *machine, precise)
    certificate = certify_linear(problem, *machine, precise)
    dear = np.abs(found.coef) if problem.weight is not None else np.maximum(problem.upper, -problem.lower)
    rounding = certificate.accuracy * float(dear.sum())
    if rounding <= _NEGLIGIBLE * abs(certificate.primal) or not fits_twofold(_training(problem, X)):
        return certificate
    return certify_linear(problem, *machine, precise, _pulls(problem, X, found))


def _training(problem: LinearProblem | CrammerSingerProblem, X: Any) -> TrainingRows:
    return TrainingData(Linear(), X).rows(problem.rows)


def _pulls(problem: LinearProblem, X: Any, found: LinearResult) -> Floats:
    """slope − f(x) of each row, rounded once."""
    rows, columns = dense_rows(_training(problem, X))
    extended = np.column_stack([rows, np.ones(len(rows)), -problem.slope])
    machine = np.concatenate([found.weights[columns], [float(found.intercept), 1.0]])
    return -core.twofold_sums(np.ascontiguousarray(extended), machine, np.zeros_like(machine))


def _sums(problem: LinearProblem | CrammerSingerProblem, X: Any, found: LinearResult) -> tuple[Any, Any] | None:
    """Σ c_i x_i and Σ c_i of dual variables with more digits than float64, for each class; None of others."""
    if found.coef_low is None:
        return None
    rows, columns = dense_rows(_training(problem, X))
    high, low = np.atleast_2d(found.coef.T), np.atleast_2d(found.coef_low.T)
    sums = np.zeros((len(high), X.shape[1]))
    for own, one in zip(sums, zip(high, low, strict=True), strict=True):
        own[columns] = core.twofold_sum_of_rows(rows, *map(np.ascontiguousarray, one))
    totals = np.array([rounded_sum(*one) for one in zip(high, low, strict=True)])
    return (sums, totals) if isinstance(problem, CrammerSingerProblem) else (sums[0], float(totals[0]))
