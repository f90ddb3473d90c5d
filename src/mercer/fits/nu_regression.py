"""ν-regression: with a tube where one helps, and without where its width would be negative."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mercer.certificates import Evidence
from mercer.fits.fitted import Fitted
from mercer.fits.judged import judge
from mercer.fits.plan import Plan
from mercer.fits.record import record_change
from mercer.fits.solving import solve_and_certify
from mercer.fits.task import Task
from mercer.problems import NuRegression, NuRegressionInTwins, NuRegressionWithoutTube
from mercer.solvers import (
    DualOutcome,
    DualSolver,
    Status,
    Terms,
    may_solve_densely,
    seconds_of_dense,
    solve_dense,
)
from mercer.typing import Floats

__all__ = ["fit_nu_regression"]

# A second sum that exceeds its bound by no more than this share is within it.
_ROUNDING = 1e-9


def fit_nu_regression(task: Task, plan: Plan, solver: DualSolver, limits: Terms, start: Floats | None = None) -> Fitted:
    """Solves with a tube; where its width would be negative, without; and where that is no solution, in twins."""
    fitted = _Search(task, plan, solver, limits).run(start)
    if limits.record is not None:
        record_change("refine", limits.record, fitted.task, fitted.coef, plan)
    return fitted


class _Search:
    """The fits of related problems so far, and the steps that they took together."""

    def __init__(self, task: Task, plan: Plan, solver: DualSolver, limits: Terms) -> None:
        problem = task.problem
        assert isinstance(problem, (NuRegression, NuRegressionWithoutTube))
        self.task, self.plan, self.solver, self.limits = task, plan, solver, limits
        self.y, self.bounds, self.most = problem.slope, problem.upper, problem.most
        self.steps = 0
        self.found: list[Fitted] = []

    def run(self, start: Floats | None) -> Fitted:
        fitted = self._solved(self.task, start)
        if Status.STALLED in fitted.statuses:
            fitted = self._solved_densely(fitted)
            self.steps = fitted.steps[0]
        is_optimal = not fitted.unsolved or (not self.task.rows.is_hurried and _is_short_of_its_gap(fitted))
        if is_optimal and isinstance(fitted.problem, NuRegressionWithoutTube) and self._is_within(fitted):
            return self._ended(fitted)
        shrunk = None if _width(fitted) >= 0 and is_optimal else _shrunk(fitted)
        if not is_optimal:
            if shrunk is None:
                return self._ended(_with_a_width(fitted))
            self.limits = self.limits.used_up()  # only to be certified
            return self._ended(self._solved(self._without_tube, shrunk)._replace(statuses=fitted.statuses))
        if _width(fitted) >= 0:
            return self._ended(fitted)
        if isinstance(fitted.problem, NuRegression):
            fitted = self._solved(self._without_tube, fitted.coef if shrunk is None else shrunk)
        if self._is_within(fitted):
            return self._ended(fitted)
        members = self.task.members[0]
        in_twins = NuRegressionInTwins.of(self.y, self.bounds, self.most)
        twins = self.task.posing(in_twins, [np.concatenate([members, members])])
        # Twins are other rows, and their steps nobody's.
        coef = self._solved(twins, None, is_recorded=False).coef.reshape(2, -1).sum(axis=0)
        around = NuRegression.around(self.y, self.bounds, coef, self.most)
        return self._ended(self._solved(self.task.posing(around), coef.copy()))

    @property
    def _without_tube(self) -> Task:
        return self.task.posing(NuRegressionWithoutTube.of(self.y, self.bounds, self.most))

    def _solved(self, task: Task, start: Floats | None, is_recorded: bool = True) -> Fitted:
        left = self.limits.after(self.steps)
        left = left if is_recorded else left._replace(record=None)
        fitted = solve_and_certify(task, self.plan, self.solver, left, start)
        self.steps += fitted.steps[0]
        self.found.append(fitted._replace(steps=[self.steps]))
        return self.found[-1]

    def _is_within(self, fitted: Fitted) -> bool:
        return float(np.abs(fitted.coef).sum()) <= self.most * (1 + _ROUNDING)

    def _ended(self, fitted: Fitted) -> Fitted:
        if Status.STALLED in fitted.statuses and not self.task.rows.is_hurried:
            # Those in twins have other rows, and those with larger sums prove nothing.
            others = [one for one in self.found if len(one.coef) == len(self.y) and self._is_within(one)]
            fitted = min(map(_with_a_width, [fitted, *others]), key=_rank)._replace(steps=[self.steps])
        return fitted

    def _solved_densely(self, fitted: Fitted) -> Fitted:
        """What a dense method makes of a fit that stalled, where that is better."""
        task, subset, problem = self.task, self.task.subsets[0], self.task.problem
        if not isinstance(problem, NuRegression) or not self.solver.leaves_hard_problems:
            return fitted
        if not may_solve_densely(problem, subset) or self.limits.seconds < seconds_of_dense(subset):
            return fitted
        terms, without = task.terms(self.limits), NuRegressionWithoutTube.of(self.y, self.bounds, self.most)
        found = solve_dense(without, subset, without.start, terms, self.plan.threads)
        if not isinstance(problem.posed_by(found.exact.high), NuRegressionWithoutTube):
            found = solve_dense(problem, subset, problem.start, terms, self.plan.threads)
        coef, low = found.exact if found.needs_digits else (found.coef, None)
        outcome = DualOutcome(coef, [found.status], [fitted.steps[0] + found.steps], [None], low=low)
        again = judge(task.posing(problem.posed_by(coef)), outcome, self.plan.threads)
        return min(again, fitted, key=lambda one: _rank(_with_a_width(one)))


def _rank(fitted: Fitted) -> tuple[bool, float]:
    """Less for the better one: first what is solved, then by the objective, which is the same with a tube and without.

    The violations are those of different problems.
    """
    primal = fitted.certificate.primal
    return bool(fitted.unsolved), np.inf if np.isnan(primal) else primal


def _is_short_of_its_gap(fitted: Fitted) -> bool:
    """Whether a fit meets the tolerance, but not that of the gap: it is optimal as far as it goes.

    Where the tube would be narrower than nothing, the gap tells that, and no solver closes it.
    """
    return Status.STALLED in fitted.statuses and fitted.certificate.holds(fitted.task.tol)


def _shrunk(fitted: Fitted) -> Floats | None:
    """Coefficients of a fit made smaller, where that is better: the second sum is a bound only."""
    if not isinstance(fitted.proof, Evidence):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        gain, squared_norm = fitted.problem.slope @ fitted.coef, fitted.coef @ fitted.proof.products.values
    if not gain < squared_norm < np.inf:
        return None
    return np.asarray(fitted.coef * max(0.0, float(gain / squared_norm)))


def _with_a_width(fitted: Fitted) -> Fitted:
    """The fit with a tube that is not narrower than nothing, and judged by that."""
    offsets, proof = fitted.problem.attainable(fitted.offsets), fitted.proof
    if np.array_equal(offsets, fitted.offsets):
        return fitted
    if isinstance(proof, Evidence):
        proof = replace(proof, offsets=offsets)
    return fitted._replace(offsets=offsets, proof=proof)


def _width(fitted: Fitted) -> float:
    """Half of the tube's width; negative where the problem knows no tube."""
    problem = fitted.problem
    return float(problem.width(fitted.offsets)[0]) if isinstance(problem, NuRegression) else -1.0
