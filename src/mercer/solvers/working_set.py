"""The core's working-set solver, from float32 to float64 where that is needed.

Solves       the box QP of a problem
Given        training rows, a Gram plan, tolerances and limits
Returns      multipliers whose violation over all rows was recomputed in float64
Stops when   that violation is within tol, or as the status says
See          Joachims (1998), Making large-scale SVM learning practical; Fan, Chen, Lin (2005), Working set selection
             using second order information
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from mercer._runtime import core, one_blas_thread
from mercer.errors import KernelError
from mercer.gram import GramPlan, TrainingRows, open_gram
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

    `least_margin` matters to problems without upper bounds: the solver ends once the margin is proved to be below this
    share of the data's radius in feature space.
    """

    tol: float = 1e-3
    gap_tol: float | None = None
    shrinking: bool = True
    least_margin: float = 0.0

    def solve(
        self, qp: BoxQP, training: TrainingRows, plan: GramPlan, limits: Limits, report: Report | None = None
    ) -> Result:
        """Solves in each precision of the plan in turn until one reaches the tolerance."""
        began = perf_counter()
        steps = 0
        result: Result | None = None
        for dtype in plan.precisions:
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
            try:
                result = self._solve_in(dtype, qp, training, plan, left, report)
            except OverflowError:
                continue
            steps += result.steps
            qp = replace(qp, start=result.alpha)
            if result.status is not Status.STALLED:
                break
        if result is None:
            raise KernelError(
                f"The values of {training.kernel} overflow on these data: expected finite kernel values. "
                "Scale the features, for instance with StandardScaler, or lower the degree."
            )
        return replace(result, steps=steps)

    def _solve_in(
        self,
        dtype: type[np.floating[Any]],
        qp: BoxQP,
        training: TrainingRows,
        plan: GramPlan,
        limits: Limits,
        report: Report | None,
    ) -> Result:
        options = core.SolverOptions(
            tol=self.tol,
            gap_tol=self.gap_tol or 0.0,
            shrinking=self.shrinking,
            working_set=plan.working_set,
            largest_working_set=plan.largest_working_set,
            whole_block=plan.whole_block,
            least_margin=self.least_margin,
        )
        with one_blas_thread():
            gram = open_gram(training, plan, dtype)
            solution = core.solve(
                gram, qp.linear, qp.signs, qp.upper, qp.start, options, limits.seconds, limits.steps, report
            )
        return Result(
            alpha=solution.alpha,
            status=_STATUS[solution.status],
            steps=solution.steps,
            violation=solution.violation,
            precision=np.dtype(dtype).name,
        )
