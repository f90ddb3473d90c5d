"""Certificates of what solvers of linear problems found, and the last resort of small problems that stalled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.certificates import Certificate, certify_crammer_singer, certify_linear
from mercer.problems import CrammerSingerProblem, LinearProblem
from mercer.rows import LinearRows, dense_rows, fits_twofold
from mercer.solvers import (
    DenseMachine,
    LinearOutcome,
    Status,
    Terms,
    may_solve_linear_densely,
    rounded_sum,
    solve_linear_dense,
)
from mercer.typing import Floats

__all__ = ["certify_outcome", "solved_densely"]

# Rounding of the objective that is no more than this share of it does not matter.
_NEGLIGIBLE = 1e-7


def solved_densely(
    problem: LinearProblem | CrammerSingerProblem,
    rows: LinearRows,
    certify: Callable[[LinearOutcome], Certificate],
    stalled: LinearOutcome,
    terms: Terms,
    threads: int,
) -> LinearOutcome:
    """What a dense method makes of an outcome that stalled: nothing worse; the same where there are too many rows."""
    if not may_solve_linear_densely(problem, rows.X):
        return stalled

    def judge(machine: DenseMachine) -> float:
        return abs(certify(stalled._replace(**machine._asdict())).relative_gap)

    start = DenseMachine(stalled.weights, stalled.intercept, stalled.coef, stalled.coef_low)
    found = solve_linear_dense(problem, rows.subset(problem.rows), judge, start, terms, threads)
    steps = stalled.steps + found.steps
    status = found.status if found.status in (Status.TIME_LIMIT, Status.INTERRUPTED) else Status.STALLED
    return stalled._replace(**found.machine._asdict(), steps=steps, status=status)


def certify_outcome(
    problem: LinearProblem | CrammerSingerProblem, rows: LinearRows, found: LinearOutcome, threads: int
) -> Certificate:
    """The certificate of an outcome; of small problems with all digits, where a large C makes rounding costly."""
    machine = (rows, found.weights, found.intercept, found.coef, threads)
    precise = _sums(problem, rows, found)
    if isinstance(problem, CrammerSingerProblem):
        return certify_crammer_singer(problem, *machine, precise)
    certificate = certify_linear(problem, *machine, precise)
    slopes = np.abs(found.coef) if problem.weight is not None else np.maximum(problem.upper, -problem.lower)
    rounding = certificate.accuracy * float(slopes.sum())
    if rounding <= _NEGLIGIBLE * abs(certificate.primal) or not fits_twofold(rows.subset(problem.rows)):
        return certificate
    return certify_linear(problem, *machine, precise, _pulls(problem, rows, found))


def _pulls(problem: LinearProblem, rows: LinearRows, found: LinearOutcome) -> Floats:
    """slope − f(x) of each row, rounded once."""
    dense, columns = dense_rows(rows.X, problem.rows)
    extended = np.column_stack([dense, np.ones(len(dense)), -problem.slope])
    machine = np.concatenate([found.weights[columns], [float(found.intercept), 1.0]])
    return -core.twofold_sums(np.ascontiguousarray(extended), machine, np.zeros_like(machine))


def _sums(
    problem: LinearProblem | CrammerSingerProblem, rows: LinearRows, found: LinearOutcome
) -> tuple[Any, Any] | None:
    """Σ c_i x_i and Σ c_i of dual variables with more digits than float64, for each class; None of others."""
    if found.coef_low is None:
        return None
    dense, columns = dense_rows(rows.X, problem.rows)
    high, low = np.atleast_2d(found.coef.T), np.atleast_2d(found.coef_low.T)
    sums = np.zeros((len(high), rows.X.shape[1]))
    for own, one in zip(sums, zip(high, low, strict=True), strict=True):
        own[columns] = core.twofold_sum_of_rows(dense, *map(np.ascontiguousarray, one))
    totals = np.array([rounded_sum(*one) for one in zip(high, low, strict=True)])
    return (sums, totals) if isinstance(problem, CrammerSingerProblem) else (sums[0], float(totals[0]))
