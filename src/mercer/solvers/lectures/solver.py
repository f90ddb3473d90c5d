"""A solver of problems and training rows from any method of the lectures.

Solves       soft- and hard-margin classification on few rows
Given        a method, the problem, training rows, tolerance and limits
Returns      coefficients
Stops when   the method does
See          docs/lectures
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from mercer.data import take_rows
from mercer.errors import InputError, KernelError
from mercer.problems import ClassificationWithoutIntercept, DualProblem, Start, SupportVectorClassification
from mercer.rows import Subset
from mercer.solvers.lectures.active_set import ActiveSet
from mercer.solvers.lectures.coordinate_ascent import CoordinateAscent
from mercer.solvers.lectures.dual import SmallDual
from mercer.solvers.lectures.method import Method
from mercer.solvers.lectures.pace import Pace
from mercer.solvers.lectures.qp import QpBidual, QpDual, QpPrimal
from mercer.solvers.lectures.sgd import HingeSgd
from mercer.solvers.lectures.smo_sketch import SmoSketch
from mercer.solvers.protocol import DualOutcome, Terms, refused

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


@dataclass(frozen=True)
class LectureSolver:
    """A method of the lectures as a solver; asked for care, it goes on at a tenth of the tolerance."""

    method: Method
    seed: int = 0

    leaves_hard_problems: ClassVar[bool] = False

    def require(self, problem: DualProblem, subsets: Sequence[Subset]) -> None:
        name, rows = self.method.name, subsets[0].rows
        kind = SupportVectorClassification if self.method.takes_intercept else ClassificationWithoutIntercept
        if type(problem) is not kind:
            expected = f"classification with{'' if self.method.takes_intercept else 'out'} an intercept"
            raise refused("solver", name, expected, problem.name, "Use solver='auto'.")
        most = max(subset.size for subset in subsets)
        if most > _MOST_ROWS:
            raise InputError(
                f"solver={name!r} is for learning and for checks: expected up to {_MOST_ROWS} rows of two classes, got "
                f"{most}. Use solver='auto', or some of the rows."
            )
        if problem.is_hard_margin and not self.method.takes_hard_margin:
            raise refused("C", name, "a finite C", "inf", "Use solver='auto' or 'active-set'.")
        if self.method.needs_map and rows.map_size is None:
            raise refused(
                *("kernel", name, "one with a finite feature map (linear or polynomial)", repr(rows.kernel)),
                "Use solver='qp-dual'.",
            )

    def solve(self, problem: DualProblem, start: Start, subsets: Sequence[Subset], terms: Terms) -> DualOutcome:
        """Solves each group from feasible coefficients."""
        found = DualOutcome(start.coef.copy(), [], [], [])
        intercepts: list[float | None] = []
        for k, (run, subset) in enumerate(zip(problem.groups.runs, subsets, strict=True)):
            number = terms.first_group + k
            dual = self._small_dual(problem, run, subset, terms.least_margin)
            tol = 0.1 * terms.tol if terms.is_careful else terms.tol
            random = np.random.RandomState((self.seed + number) % 2**32)
            begin, pace = np.abs(start.coef[run]), Pace(dual, number, terms)
            alpha, steps, status, intercept = self.method.run(dual, tol, begin, pace, random)
            found.coef[run] = alpha * dual.t
            intercepts.append(intercept)
            found.statuses.append(status)
            found.steps.append(steps)
            found.seconds.append(None)
        own = [b for b in intercepts if b is not None]
        return found._replace(offsets=np.array([own])) if len(own) == len(intercepts) else found

    def _small_dual(self, problem: DualProblem, run: slice, subset: Subset, least_margin: float) -> SmallDual:
        K, rows = subset.values(), subset.rows
        if self.method.needs_definite and not rows.is_definite:
            least, *_, largest = np.linalg.eigvalsh(K).tolist() if len(K) > 1 else [0.0, 1.0]
            if least < -_INDEFINITE * largest:
                raise KernelError(
                    f"solver={self.method.name!r} expects a positive semi-definite kernel, got one with an eigenvalue "
                    f"of {least:.3g} on these rows. Use solver='smo-sketch' or 'auto', which find a stationary point."
                )
        Phi = None
        if self.method.needs_map:
            mapped = take_rows(rows.mapped.X, subset.members)
            Phi = mapped.toarray() if sp.issparse(mapped) else np.asarray(mapped, dtype=np.float64)
        bounds = np.maximum(problem.upper[run], -problem.lower[run])
        radius = float(np.sqrt(np.diagonal(K).max(initial=0.0)))
        margin = _SLOWER * least_margin * radius
        return SmallDual(K, problem.slope[run], bounds, problem.sums_kept > 0, Phi, margin)
