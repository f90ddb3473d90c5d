"""The last resort of a fit: small problems that stalled are solved densely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.fits.task import Task
from mercer.problems import NuRegression
from mercer.solvers import DualOutcome, Status, Terms, may_solve_densely, seconds_of_dense, solve_dense

__all__ = ["solve_stalled_densely"]


def solve_stalled_densely(
    task: Task, outcome: DualOutcome, statuses: Sequence[Status], terms: Terms, threads: int
) -> DualOutcome:
    """The outcome with what a dense method makes of the groups that stalled: nothing worse than they had.

    ν-regression has a way of its own, for there the sums are only bounds.
    """
    coef, low = outcome.coef.copy(), np.zeros_like(outcome.coef) if outcome.low is None else outcome.low.copy()
    ended, steps = list(outcome.statuses), list(outcome.steps)
    for k, status in enumerate(statuses):
        subset, run, part = task.subsets[k], task.problem.groups.runs[k], task.problem.of_groups([k])
        is_convex = not isinstance(part, NuRegression)
        if status is not Status.STALLED or not is_convex or not may_solve_densely(part, subset):
            continue
        if terms.seconds < seconds_of_dense(subset):
            ended[k] = Status.TIME_LIMIT
            continue
        found = solve_dense(part, subset, part.feasible(coef[run]), terms, threads)
        coef[run], ended[k] = found.coef, found.status
        steps[k] += found.steps
        if found.needs_digits:
            coef[run], low[run] = found.exact
    kept = low if low.any() else None
    return outcome._replace(coef=coef, statuses=ended, steps=steps, offsets=None, low=kept)
