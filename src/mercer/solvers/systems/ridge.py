"""Ridge regression as one linear system for each α.

Solves       K c + α c / v + b = y, with Σ c = 0 where there is an intercept
Given        the problem, its rows, how much memory there is, and the terms
Returns      c and b of every column of targets, and how that was done
Stops when   residuals are within the tolerance, relative to the targets, or as the status says
See          `refinement`, `cholesky`, `conjugate_gradients`, `nystroem`, `least_norm`
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from mercer.errors import InputError
from mercer.problems import RidgeProblem
from mercer.rows import Budget, Precision, Rows
from mercer.solvers.protocol import NO_LIMIT, Terms
from mercer.solvers.status import Status
from mercer.solvers.systems.cholesky import factored
from mercer.solvers.systems.conjugate_gradients import ConjugateGradients
from mercer.solvers.systems.least_norm import least_norm
from mercer.solvers.systems.nystroem import nystroem
from mercer.solvers.systems.plan import SystemMethod, SystemPlan, plan_system
from mercer.solvers.systems.refinement import Refined, refine
from mercer.solvers.systems.system import System
from mercer.typing import Floats

__all__ = ["RidgeOutcome", "solve_ridge"]

#: Relative residuals that are asked for where nobody says: of factors, and of conjugate gradients.
FACTORED_TOL = 1e-10
ITERATIVE_TOL = 1e-6
# What conjugate gradients leave of a residual before it is evaluated anew in float64.
_SHARE = 3e-4
# Or what they stop at, as a share of the tolerance: float32 is not quite what it believes.
_ENOUGH = 0.3
# Of least norm, residuals are what they are.
_ANY = np.inf

_WORSE_FIRST = (Status.INTERRUPTED, Status.TIME_LIMIT, Status.ITERATION_LIMIT, Status.STALLED, Status.SOLVED)


class RidgeOutcome(NamedTuple):
    """Coefficients and intercepts (one column a function), steps, how it ended, and how it was done.

    `tol` is the relative residual that was asked for; `left_out` counts directions without a solution, in which the
    coefficients are zero.
    """

    coef: Floats
    intercept: Floats
    steps: int
    status: Status
    tol: float
    left_out: int
    sentence: str


def solve_ridge(
    problem: RidgeProblem, rows: Rows, budget: Budget, threads: int, terms: Terms, asked: str = "auto"
) -> RidgeOutcome:
    """Solves for all targets; those of one α share what is made of the matrix. A NaN `tol` leaves it to them."""
    coef, intercept = np.zeros_like(problem.targets), np.zeros(problem.targets.shape[1])
    steps, left_out, tol, statuses, sentences = 0, 0, terms.tol, [], []
    for alpha in np.unique(problem.alpha):
        chosen = np.flatnonzero(problem.alpha == alpha)
        own = problem.columns(chosen)
        solver = _Solver(own, System(rows, own.roots, float(alpha), threads), budget, terms, asked)
        found = solver.solve()
        coef[:, chosen] = own.roots[:, None] * found.d
        intercept[chosen] = own.middles + found.intercept
        steps, left_out, tol = steps + max(found.steps, solver.steps), max(left_out, solver.left_out), solver.tol
        statuses.append(found.status)
        sentences.append(solver.sentence)
    status = next(one for one in _WORSE_FIRST if one in statuses)
    return RidgeOutcome(coef, intercept, steps, status, tol, left_out, " ".join(dict.fromkeys(sentences)))


class _Solver:
    """One α: the method of the plan, and the next one where it does not do."""

    def __init__(self, problem: RidgeProblem, system: System, budget: Budget, terms: Terms, asked: str) -> None:
        self.problem, self.system = problem, system
        self.plan: SystemPlan = plan_system(system, budget, asked)
        self.tol = terms.tol
        if np.isnan(terms.tol):
            self.tol = ITERATIVE_TOL if self.plan.method is SystemMethod.ITERATIVE else FACTORED_TOL
        self.terms = terms._replace(tol=self.tol)
        self.targets = problem.roots[:, None] * (problem.targets - problem.middles)
        self.steps = self.left_out = 0
        self.sentence = str(self.plan)

    def solve(self) -> Refined:
        if self.plan.method is SystemMethod.ITERATIVE:
            return self._iterated()
        found = None
        if self.plan.method is SystemMethod.FACTOR32:
            found = self._factored(np.float32, None)
            if found is not None and found.status is not Status.STALLED:
                return found
            if not self.plan.may_factor64:
                self.sentence += " float32 did not reach the tolerance, so conjugate gradients went on from there."
                return self._iterated(found)
            self.sentence += " float32 did not reach the tolerance, so a factor in float64 took its place."
        found = self._factored(np.float64, found)
        return self._of_least_norm() if found is None else found

    def _factored(self, dtype: Precision, start: Refined | None) -> Refined | None:
        inverse = factored(self.system, dtype)
        return None if inverse is None else self._refined(inverse, self.terms, start)

    def _refined(self, inverse: Any, terms: Terms, start: Refined | None = None) -> Refined:
        return refine(self.system, self.targets, self._border(inverse), inverse, terms, start)

    def _border(self, inverse: Any) -> Floats | None:
        return inverse(self.system.roots[:, None])[:, 0] if self.problem.has_intercept else None

    def _of_least_norm(self) -> Refined:
        inverse, self.left_out = least_norm(self.system, self.problem.has_intercept)
        self.sentence += (
            f" The matrix is not positive definite: the solution is that of least norm, and {self.left_out} directions "
            "in which there is none are left out."
        )
        d, roots = inverse(self.targets), self.problem.roots
        if self.problem.has_intercept:
            d -= np.outer(roots, roots @ d / (roots @ roots))  # zero but for rounding
        left = self.targets - self.system.products(d)
        b = roots @ left / (roots @ roots) if self.problem.has_intercept else np.zeros(left.shape[1])
        return Refined(d, b, 1, Status.SOLVED, _ANY)

    def _iterated(self, start: Refined | None = None) -> Refined:
        if self.system.alpha == 0:
            raise InputError(
                f"alpha: expected a number > 0 for conjugate gradients, got 0. Raise alpha, or let the matrix of "
                f"{len(self.system)} rows be factored: solver='cholesky', or a cache_size in which it fits."
            )
        precondition = nystroem(self.system, self.plan.rank)
        found = start
        for dtype in (np.float32, np.float64):
            found = self._iterated_in(dtype, precondition, found)
            if found.status is not Status.STALLED:
                break
        assert found is not None
        return found

    def _iterated_in(self, dtype: Precision, precondition: Any, start: Refined | None) -> Refined:
        system = self.system

        def products(d: Floats) -> Floats:
            return system.products(d, dtype)

        left = self.terms.after(self.steps)
        inverse = ConjugateGradients(products, precondition or (lambda r: r / system.alpha), _SHARE, len(system), left)
        try:
            border = self._border(inverse)
            inverse.enough = _ENOUGH * self.tol * self.problem.sizes
            outer = self.terms._replace(steps=NO_LIMIT, report=lambda *_: inverse.is_stopped)
            found = refine(system, self.targets, border, inverse, outer, start)
        except OverflowError:
            return (start or _nothing(self.targets))._replace(status=Status.STALLED)
        self.steps += inverse.steps
        if not inverse.is_stopped:
            return found
        limit = Status.ITERATION_LIMIT if self.steps >= self.terms.steps else Status.INTERRUPTED
        return found._replace(status=Status.TIME_LIMIT if perf_counter() >= self.terms.ends else limit)


def _nothing(targets: Floats) -> Refined:
    return Refined(np.zeros_like(targets), np.zeros(targets.shape[1]), 0, Status.STALLED, 1.0)
