"""A solver of problems and training rows from any method of the lectures.

Solves       soft- and hard-margin classification on few rows
Given        a method, the problem, training rows, tolerance and limits
Returns      coefficients
Stops when   the method does
See          docs/lectures
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mercer.data import take_rows
from mercer.errors import InputError, KernelError, ParameterError
from mercer.gram import GramPlan, TrainingRows, values_at
from mercer.problems import DualProblem
from mercer.solvers.lectures.active_set import ActiveSet
from mercer.solvers.lectures.coordinate_ascent import CoordinateAscent
from mercer.solvers.lectures.dual import SmallDual
from mercer.solvers.lectures.method import Method
from mercer.solvers.lectures.pace import Pace
from mercer.solvers.lectures.qp import QpBidual, QpDual, QpPrimal
from mercer.solvers.lectures.sgd import HingeSgd
from mercer.solvers.lectures.smo_sketch import SmoSketch
from mercer.solvers.result import Limits, Report, Result
from mercer.solvers.trace import Step
from mercer.typing import Floats

__all__ = ["LectureSolver", "METHODS"]

# The matrix of so many rows takes 128 MB, and a step of the readable loops some milliseconds.
_MOST_ROWS = 4000
# Under the hard margin these methods are asked for a proof that there is none sooner than the fast one: their
# multipliers grow slowly.
_SLOWER = 30
# Eigenvalues so far below zero, as a share of the largest, are rounding.
_INDEFINITE = 1e-8


#: The methods by name, with parameters that do.
METHODS: dict[str, Method] = {
    method.name: method
    for method in (SmoSketch(), ActiveSet(), QpPrimal(), QpDual(), QpBidual(), HingeSgd(), CoordinateAscent())
}


class LectureSolver(NamedTuple):
    """A method of the lectures as a solver.

    `verify` asks it to go on at a tenth of the tolerance: the certificate was not content. `recorded` takes the steps.
    """

    method: Method
    tol: float = 1e-3
    gap_tol: float | None = None
    seed: int = 0
    verify: bool = False
    least_margin: float = 0.0
    polish: bool = False
    recorded: list[Step] | None = None
    #: The number of the first group, where a problem is solved in parts.
    first_group: int = 0

    def require(self, problem: DualProblem, training: Sequence[TrainingRows]) -> None:
        """Raises where the method cannot do it."""
        name, kernel = self.method.name, training[0].kernel
        most = max(len(rows.rows) for rows in training)
        if most > _MOST_ROWS:
            raise InputError(
                f"solver={name!r} is for learning and for checks: expected up to {_MOST_ROWS} rows of two classes, got "
                f"{most}. Use solver='auto', or some of the rows."
            )
        if problem.is_hard_margin and not self.method.takes_hard_margin:
            raise ParameterError(f"C: solver={name!r} expects a finite C, got inf. Use solver='auto' or 'active-set'.")
        if self.method.needs_map and (kernel.is_pairwise or kernel.map_size(training[0].X.shape[1]) is None):
            raise ParameterError(
                f"kernel: solver={name!r} expects one with a finite feature map (linear or polynomial), got "
                f"{kernel!r}. Use solver='qp-dual'."
            )

    def solve(
        self,
        problem: DualProblem,
        start: Floats,
        training: Sequence[TrainingRows],
        plan: GramPlan,
        limits: Limits,
        report: Report | None = None,
    ) -> Result:
        """Solves each group from feasible coefficients."""
        self.require(problem, training)
        began, found = perf_counter(), Result(start.copy(), [], [], [])
        intercepts: list[float | None] = []
        for k, (run, rows) in enumerate(zip(problem.groups.runs, training, strict=True)):
            dual = self._small_dual(problem, run, rows)
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps)
            pace = Pace(dual, self.first_group + k, left, report, self.recorded)
            tol = 0.1 * self.tol if self.verify else self.tol
            random = np.random.RandomState((self.seed + self.first_group + k) % 2**32)
            alpha, steps, status, intercept = self.method.run(dual, tol, np.abs(start[run]), pace, random)
            found.coef[run] = alpha * dual.t
            intercepts.append(intercept)
            found.statuses.append(status)
            found.steps.append(steps)
            found.seconds.append(None)
        own = [b for b in intercepts if b is not None]
        return found._replace(offsets=np.array([own])) if len(own) == len(intercepts) else found

    def _small_dual(self, problem: DualProblem, run: slice, rows: TrainingRows) -> SmallDual:
        K = values_at(rows, np.arange(len(rows.rows)))
        if self.method.needs_definite and not rows.kernel.is_definite:
            least, *_, largest = np.linalg.eigvalsh(K).tolist() if len(K) > 1 else [0.0, 1.0]
            if least < -_INDEFINITE * largest:
                raise KernelError(
                    f"solver={self.method.name!r} expects a positive semi-definite kernel, got one with an eigenvalue "
                    f"of {least:.3g} on these rows. Use solver='smo-sketch' or 'auto', which find a stationary point."
                )
        Phi = None
        if self.method.needs_map:
            mapped = rows.kernel.map_rows(take_rows(rows.X, rows.rows))
            Phi = mapped.toarray() if sp.issparse(mapped) else np.asarray(mapped, dtype=np.float64)
        bounds = np.maximum(problem.upper[run], -problem.lower[run])
        radius = float(np.sqrt(np.diagonal(K).max(initial=0.0)))
        least_margin = _SLOWER * self.least_margin * radius
        return SmallDual(K, problem.slope[run], bounds, problem.sums_kept > 0, Phi, least_margin)
