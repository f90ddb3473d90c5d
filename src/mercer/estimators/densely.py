"""The last resort of a fit: small problems that stalled are solved densely."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from mercer.gram import TrainingRows
from mercer.problems import DualProblem, NuRegression
from mercer.solvers import Limits, Report, Result, Status, may_solve_densely, seconds_of_dense, solve_dense

__all__ = ["solve_stalled_densely"]


def solve_stalled_densely(
    problem: DualProblem,
    result: Result,
    statuses: Sequence[Status],
    training: Sequence[TrainingRows],
    tol: float,
    limits: Limits,
    threads: int,
    report: Report | None,
    is_exact: bool,
) -> Result:
    """The result with what a dense method makes of the groups that stalled: nothing worse than they had.

    ν-regression has a way of its own, for there the sums are only bounds. With `is_exact` it goes on below `tol`.
    """
    began = perf_counter()
    coef, low = result.coef.copy(), np.zeros_like(result.coef) if result.low is None else result.low.copy()
    found_statuses, steps = list(result.statuses), list(result.steps)
    for k, status in enumerate(statuses):
        rows, run = training[k], problem.groups.runs[k]
        part = problem.of_groups([k])
        is_convex = not isinstance(part, NuRegression)
        if status is not Status.STALLED or not is_convex or not may_solve_densely(part, rows):
            continue
        left = Limits(limits.seconds - (perf_counter() - began), limits.steps)
        if left.seconds < seconds_of_dense(len(rows.rows), rows.X.shape[1]):
            found_statuses[k] = Status.TIME_LIMIT
            continue
        found = solve_dense(part, rows, part.feasible(coef[run]), tol, left, threads, report, is_exact)
        coef[run], found_statuses[k] = found.coef, found.status
        steps[k] += found.steps
        if found.needs_digits:
            coef[run], low[run] = found.exact
    kept = low if low.any() else None
    return result._replace(coef=coef, statuses=found_statuses, steps=steps, offsets=None, low=kept)
