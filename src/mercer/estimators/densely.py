"""The last resort of a fit: small problems that stalled are solved densely."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from mercer._runtime import core
from mercer.gram import TrainingRows, dense_rows
from mercer.kernels import Linear
from mercer.problems import DualProblem, NuRegression
from mercer.solvers import DenseResult, Limits, Report, Result, Status, may_solve_densely, solve_dense
from mercer.typing import Floats

__all__ = ["solve_stalled_densely", "weights_of"]


def solve_stalled_densely(
    problem: DualProblem,
    result: Result,
    statuses: Sequence[Status],
    training: Sequence[TrainingRows],
    tol: float,
    limits: Limits,
    threads: int,
    report: Report | None,
) -> Result:
    """The result with what a dense method makes of the groups that stalled: nothing worse than they had.

    ν-regression has a way of its own, for there the sums are only bounds.
    """
    began = perf_counter()
    coef, weights = result.coef.copy(), dict(result.weights or {})
    found_statuses, steps = list(result.statuses), list(result.steps)
    for k, status in enumerate(statuses):
        rows, run = training[k], problem.groups.runs[k]
        part = problem.of_groups([k])
        is_convex = not isinstance(part, NuRegression)
        if status is not Status.STALLED or not is_convex or not may_solve_densely(part, rows):
            continue
        left = Limits(limits.seconds - (perf_counter() - began), limits.steps)
        found = solve_dense(part, rows, part.feasible(coef[run]), tol, left, threads, report)
        coef[run], found_statuses[k] = found.coef, found.status
        steps[k] += found.steps
        if found.status is Status.BEYOND_FLOAT64 and isinstance(rows.kernel, Linear):
            coef[run], weights[k] = found.exact.high, weights_of(rows, found)
            found_statuses[k] = Status.SOLVED  # if the certificate says so, too
    return result._replace(coef=coef, statuses=found_statuses, steps=steps, offsets=None, weights=weights or None)


def weights_of(rows: TrainingRows, found: DenseResult) -> Floats:
    """The weights of the features of a linear machine, from coefficients that float64 cannot hold."""
    w = np.zeros(rows.X.shape[1])
    X, columns = dense_rows(rows)
    w[columns] = core.twofold_sum_of_rows(X, found.exact.high, found.exact.low)
    return w
