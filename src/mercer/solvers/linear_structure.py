"""Kernel machines with the linear kernel, found through their weights.

Solves       the box QP of a problem whose kernel is linear
Given        training rows, tolerances and limits
Returns      coefficients, as the working-set solver does
Stops when   the violation is within tol, or as the status says
See          docs/concepts/linear.md
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from mercer._runtime import core
from mercer.data import as_core_data
from mercer.gram import GramPlan, TrainingRows
from mercer.kernels import Kernel, Linear
from mercer.problems import DualProblem
from mercer.solvers.linear import LinearMethod, LinearPlan
from mercer.solvers.result import STATUSES, Limits, Report, Result, Status
from mercer.solvers.working_set import WorkingSetSolver
from mercer.typing import Floats, Integers

__all__ = ["LinearStructureSolver", "has_linear_structure", "plan_of_structure"]

# Matrices of features against features are factored up to this many columns: 8 MB.
_MOST_FEATURES = 1023
# With fewer rows than these, or than features, kernel values are quicker.
_FEWEST_ROWS = 512
# The rest of the tolerance is left to rounding.
_SHARE = 0.8
# Beyond this many Newton steps the data are too badly scaled for the method.
_MOST_STEPS = 500

_TINY = float(np.finfo(np.float64).tiny)


def has_linear_structure(kernel: Kernel, shape: tuple[int, int]) -> bool:
    """Whether the machine is quicker found through its weights than through kernel values."""
    rows, features = shape
    return isinstance(kernel, Linear) and features <= _MOST_FEATURES and rows >= max(_FEWEST_ROWS, features)


def plan_of_structure(shape: tuple[int, int]) -> LinearPlan:
    """The way of this solver, for people."""
    rows, features = shape
    reason = f"the kernel is linear, and {rows} rows have no more than {features} weights behind them"
    return LinearPlan(LinearMethod.NEWTON, reason)


class LinearStructureSolver(WorkingSetSolver):
    """The working-set solver with a quicker way for the linear kernel.

    What that way leaves unsolved goes on with kernel values, and so does what is to be verified.
    """

    def solve(
        self,
        problem: DualProblem,
        start: Floats,
        training: Sequence[TrainingRows],
        plan: GramPlan,
        limits: Limits,
        report: Report | None = None,
    ) -> Result:
        if self.verify or problem.is_hard_margin:
            return super().solve(problem, start, training, plan, limits, report)
        began = perf_counter()
        data, begin = as_core_data(training[0].X), None if start is problem.start else start
        solutions = core.solve_linear(
            data,
            [_task(problem, k, begin, data, part.rows) for k, part in enumerate(training)],
            offsets=2 if problem.two_sums else 1,
            offset=1.0,
            free_offsets=True,
            method=core.LinearMethod.MULTIPLIERS,
            gap_tol=self.gap_tol or np.inf,
            tol=_SHARE * self.tol,
            most_factored=_MOST_FEATURES + 2,
            seed=0,
            seconds=limits.seconds,
            max_steps=min(limits.steps, _MOST_STEPS),
            threads=plan.all_threads,
            report=report,
        )
        found = np.concatenate([_coef_of(problem, k, solution.coef) for k, solution in enumerate(solutions)])
        statuses = [STATUSES[solution.status] for solution in solutions]
        result = Result(_balanced(problem, found), statuses, [s.steps for s in solutions], [None] * len(solutions))
        unsolved = [k for k, status in enumerate(statuses) if self._goes_on(status, result.steps[k], limits)]
        if unsolved:
            part, rows = problem.of_groups(unsolved), [training[k] for k in unsolved]
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps - max(result.steps))
            reached = result.coef_of(problem.groups, unsolved)
            again = super().solve(part, part.continued(reached), rows, plan, left, report)
            result.take_over(problem.groups, unsolved, again)
        return result

    @staticmethod
    def _goes_on(status: Status, steps: int, limits: Limits) -> bool:
        return status is Status.STALLED or (status is Status.ITERATION_LIMIT and steps < limits.steps)


def _task(problem: DualProblem, group: int, start: Floats | None, data: core.Data, rows: Integers) -> core.LinearTask:
    """One group for the core. A row that may be on either side of two sums stands there twice."""
    run = problem.groups.runs[group]
    slope, lower, upper = problem.slope[run], problem.lower[run], problem.upper[run]
    kink = None if problem.kink is None else problem.kink[run]
    begin = None if start is None else start[run]
    sums = problem.fixed_sums[:, group].tolist()
    unit = problem.unit or _spread(problem, run, data, rows)
    if not problem.two_sums:
        return core.LinearTask(rows, slope, lower, upper, kink, None, begin, None, unit, sums[0], 0.0)
    sides = np.repeat(np.array([0, 1], dtype=np.uint8), len(rows))
    lower, upper = np.concatenate([np.zeros(len(rows)), lower]), np.concatenate([upper, np.zeros(len(rows))])
    used = upper > lower
    if begin is not None:
        begin = np.concatenate([np.maximum(begin, 0.0), np.minimum(begin, 0.0)])[used]
    rows, slope = np.tile(rows, 2)[used], np.tile(slope, 2)[used]
    kink = None if kink is None else np.tile(kink, 2)[used]
    return core.LinearTask(
        rows, slope, lower[used], upper[used], kink, None, begin, sides[used], unit, sums[0], sums[1]
    )


def _coef_of(problem: DualProblem, group: int, found: Floats) -> Floats:
    """The coefficients of a group from what the core found for it."""
    if not problem.two_sums:
        return found
    run = problem.groups.runs[group]
    above, below = problem.upper[run] > 0, problem.lower[run] < 0
    coef = np.zeros(len(above))
    coef[above] += found[: np.count_nonzero(above)]
    coef[below] += found[np.count_nonzero(above) :]
    return coef


def _balanced(problem: DualProblem, coef: Floats) -> Floats:
    """The coefficients with exact sums: what rounding has left of these goes to rows between their bounds.

    Scaling all coefficients instead would take others off their bounds.
    """
    coef = np.clip(coef, problem.lower, problem.upper)
    between = (coef > problem.lower) & (coef < problem.upper) & (coef != 0)
    for k, missing in enumerate(problem.fixed_sums - problem.sums(coef)):
        for run, left in zip(problem.groups.runs, missing.tolist(), strict=True):
            chosen = between[run] & ((coef[run] > 0) == (k == 0)) if problem.two_sums else between[run]
            for row in run.start + np.flatnonzero(chosen):
                lower, upper = problem.lower[row], problem.upper[row]
                if problem.two_sums:
                    lower, upper = (0.0, upper) if k == 0 else (lower, 0.0)
                moved = min(max(coef[row] + left, lower), upper)
                left, coef[row] = left - (moved - coef[row]), moved
                if left == 0:
                    break
    return coef


def _spread(problem: DualProblem, run: slice, data: core.Data, rows: Integers) -> float:
    """How far values lie apart where all coefficients are the same share of their bounds."""
    up, down = np.maximum(problem.start[run], 0.0).sum(), np.minimum(problem.start[run], 0.0).sum()
    upper, lower = problem.upper[run], problem.lower[run]
    even = upper * (up / max(upper.sum(), _TINY)) + lower * (down / min(lower.sum(), -_TINY))
    values = core.linear_values(data, rows, core.linear_sums(data, rows, even, 1), 1)
    return float(values.std()) or float(np.abs(values).max()) or 1.0
