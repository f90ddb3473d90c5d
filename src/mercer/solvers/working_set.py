"""The core's working-set solver, from float32 to float64 where that is needed.

Solves       the box QP of a problem
Given        training rows, a Gram plan, tolerances and limits
Returns      multipliers; with `verify`, every row was recomputed in float64 at the end
Stops when   the violation is within tol, or as the status says
See          docs/concepts/solver.md; Joachims (1998), Making large-scale SVM learning practical; Fan, Chen, Lin (2005),
             Working set selection using second order information
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.errors import kernel_overflow
from mercer.gram import GramPlan, TrainingRows, describe_gram
from mercer.problems import BoxQP
from mercer.solvers.result import Limits, Report, Result, Status

__all__ = ["WorkingSetSolver"]

_STATUS = {
    core.Status.SOLVED: Status.SOLVED,
    core.Status.TIME_LIMIT: Status.TIME_LIMIT,
    core.Status.STEP_LIMIT: Status.ITERATION_LIMIT,
    core.Status.STALLED: Status.STALLED,
    core.Status.INTERRUPTED: Status.INTERRUPTED,
    core.Status.UNBOUNDED: Status.NO_MARGIN,
}


@dataclass(frozen=True)
class WorkingSetSolver:
    """Tolerances of the working-set solver.

    Without `verify`, only the rows that decide the violation are recomputed in float64, and rows that are unlikely to
    violate are not looked at again; the caller's certificate then decides.
    `least_margin` matters to problems without upper bounds: the solver ends once the margin is proved to be below this
    share of the data's radius in feature space.
    """

    tol: float = 1e-3
    gap_tol: float | None = None
    shrinking: bool = True
    verify: bool = True
    least_margin: float = 0.0

    def solve(
        self,
        qps: Sequence[BoxQP],
        training: Sequence[TrainingRows],
        plan: GramPlan,
        limits: Limits,
        report: Report | None = None,
    ) -> list[Result]:
        """Solves each problem, in each precision of the plan in turn until one reaches the tolerance."""
        began = perf_counter()
        results: dict[int, Result] = {}
        open_problems = list(range(len(qps)))
        for dtype in plan.block_rows:
            steps = max((results[k].steps for k in open_problems if k in results), default=0)
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
            starts = {k: replace(qps[k], start=results[k].alpha) if k in results else qps[k] for k in open_problems}
            try:
                solutions = self._solve_in(
                    dtype, list(starts.values()), [training[k] for k in open_problems], plan, left, report
                )
            except OverflowError:
                continue
            for k, solution in zip(open_problems, solutions, strict=True):
                before = results[k].steps if k in results else 0
                results[k] = Result(
                    alpha=solution.alpha,
                    status=_STATUS[solution.status],
                    steps=before + solution.steps,
                    seconds=solution.seconds,
                )
            open_problems = [k for k in open_problems if results[k].status is Status.STALLED]
            was_stopped = any(result.status in (Status.INTERRUPTED, Status.TIME_LIMIT) for result in results.values())
            if not open_problems or was_stopped:
                break
        if len(results) < len(qps):
            raise kernel_overflow(training[0].kernel)
        return [results[k] for k in range(len(qps))]

    def _solve_in(
        self,
        dtype: type[np.floating[Any]],
        qps: Sequence[BoxQP],
        training: Sequence[TrainingRows],
        plan: GramPlan,
        limits: Limits,
        report: Report | None,
    ) -> list[core.Solution]:
        options = core.SolverOptions(
            tol=self.tol,
            gap_tol=self.gap_tol or 0.0,
            screening=self.shrinking and training[0].kernel.is_definite is True,
            verify=self.verify,
            **plan.block_sizes(dtype),
            least_margin=self.least_margin,
        )
        problems = [core.Problem(qp.linear, qp.signs, qp.upper, qp.start) for qp in qps]
        grams = [describe_gram(rows, plan, dtype) for rows in training]
        return core.solve(problems, grams, options, limits.seconds, limits.steps, plan.problems_at_once, report)
