"""The core's working-set solver, from float32 to float64 where that is needed.

Solves       the box QP of a problem
Given        training rows, a Gram plan, tolerances and limits
Returns      coefficients; with `verify`, every row was recomputed in float64 at the end
Stops when   the violation is within tol, or as the status says
See          docs/concepts/solver.md; Joachims (1998), Making large-scale SVM learning practical; Fan, Chen, Lin (2005),
             Working set selection using second order information
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.errors import kernel_overflow
from mercer.gram import GramPlan, TrainingRows, describe_gram
from mercer.problems import DualProblem
from mercer.solvers.dense import may_solve_densely
from mercer.solvers.result import STATUSES, Limits, Report, Result, Status
from mercer.solvers.rounds import steps_of_rounds
from mercer.solvers.trace import Step
from mercer.typing import Floats

__all__ = ["WorkingSetSolver"]

_STOPPED = {Status.INTERRUPTED, Status.TIME_LIMIT}

# Steps after which a dense method is quicker, of problems that are small enough for one: some, and so many for each
# pair of rows, by what a step takes beside a factorisation.
_STEPS = 200_000
_STEPS_A_PAIR = 3


class WorkingSetSolver(NamedTuple):
    """Tolerances of the working-set solver.

    Without `verify`, only the rows that decide the violation are recomputed in float64, and only where rounding could
    matter; rows that are unlikely to violate are not looked at again. The caller's certificate then decides.
    `least_margin` matters to problems without upper bounds: the solver ends once the margin is proved to be below this
    share of the data's radius in feature space. `polish` asks for coefficients that are exact up to rounding. Where
    `recorded` is a list, the rounds of the first precision are added to it, with the numbers of their groups, which are
    counted from `first_group`.
    """

    tol: float = 1e-3
    gap_tol: float | None = None
    shrinking: bool = True
    verify: bool = True
    least_margin: float = 0.0
    polish: bool = False
    recorded: list[Step] | None = None
    first_group: int = 0

    def solve(
        self,
        problem: DualProblem,
        start: Floats,
        training: Sequence[TrainingRows],
        plan: GramPlan,
        limits: Limits,
        report: Report | None = None,
    ) -> Result:
        """Solves each group from feasible coefficients, in each precision of the plan in turn until one is enough."""
        began = perf_counter()
        result: Result | None = None
        for dtype in plan.block_rows:
            if result is None:
                with suppress(OverflowError):
                    result = self._solve_in(dtype, problem, start, training, plan, limits, report)
            else:
                stalled = [k for k, status in enumerate(result.statuses) if status is Status.STALLED]
                part, rows = problem.of_groups(stalled), [training[k] for k in stalled]
                steps = max(result.steps[k] for k in stalled)
                left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
                reached = result.coef_of(problem.groups, stalled)
                again = self._replace(recorded=None)._solve_in(dtype, part, reached, rows, plan, left, report)
                result.take_over(problem.groups, stalled, again)
            if result is not None and (_STOPPED.intersection(result.statuses) or Status.STALLED not in result.statuses):
                break
        if result is None:
            raise kernel_overflow(training[0].kernel)
        return result

    def _solve_in(
        self,
        dtype: type[np.floating[Any]],
        problem: DualProblem,
        start: Floats,
        training: Sequence[TrainingRows],
        plan: GramPlan,
        limits: Limits,
        report: Report | None,
    ) -> Result:
        options = core.SolverOptions(
            tol=self.tol,
            gap_tol=self.gap_tol or 0.0,
            screening=self.shrinking and training[0].kernel.is_definite is True,
            verify=self.verify,
            **plan.block_sizes(dtype),
            unit=problem.unit,
            least_margin=self.least_margin,
            record=self.recorded is not None,
            most_steps=_most_steps(problem, training),
        )
        grams = [describe_gram(rows, plan, dtype) for rows in training]
        solutions = core.solve(
            problem.lowered(start), grams, options, limits.seconds, limits.steps, plan.problems_at_once, report
        )
        if self.recorded is not None:
            for k, rows in enumerate(training):
                rounds = [(f"round of {active} rows", coef) for _, active, coef in solutions.rounds(k)]
                one, begin = problem.of_groups([k]), start[problem.groups.runs[k]]
                number = self.first_group + k
                self.recorded.extend(steps_of_rounds(one, number, rows, begin, rounds, plan.all_threads))
        statuses = [STATUSES[status] for status in solutions.statuses]
        return Result(solutions.coef, statuses, solutions.steps, [*solutions.seconds])


def _most_steps(problem: DualProblem, training: Sequence[TrainingRows]) -> int:
    """When to give up: early, where a dense method takes over."""
    largest = max(training, key=lambda rows: len(rows.rows))
    if not may_solve_densely(problem, largest):
        return 2**62
    return _STEPS + _STEPS_A_PAIR * len(largest.rows) ** 2
