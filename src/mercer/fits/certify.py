"""The certificate of a machine for a task, whoever fitted it: everything in float64, or better.

The dual variables of a kernel machine are its coefficients. A linear machine keeps none, and any feasible dual point
bounds the optimum, so several are tried: what the losses have at the values of the machine, which is the right one
where these are smooth and the weights are at the optimum; where that leaves a gap, what solving anew finds; and where
that does not end, what a dense method finds. The solver is asked for a tenth of the gap, so that little of it is its
own. Where none of them is near its own optimum, a gap says nothing of the machine, and the certificate says that it is
not proven.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mercer._runtime import available_threads
from mercer.certificates import Certificate, Evidence, evidence_of, more_precise
from mercer.errors import InputError
from mercer.fits.linear_judged import certify_outcome, solved_densely
from mercer.fits.task import LinearTask, Task
from mercer.machines import KernelMachine, LinearMachine, linear_values
from mercer.problems import (
    CrammerSingerProblem,
    LinearProblem,
    NuClassification,
    NuRegression,
    NuRegressionWithoutTube,
    SupportVectorRegression,
)
from mercer.rows import LinearRows
from mercer.solvers import (
    Extended,
    LinearMethod,
    LinearOutcome,
    Status,
    Terms,
    may_solve_linear_densely,
    plan_linear,
    solve_linear,
)
from mercer.typing import Floats

__all__ = ["certify_kernel_machine", "certify_linear_machine"]

# Rounding that could hide a violation that matters.
_COARSE = 1e-6

# The second sum of ν-SVR is met where it is less than its bound by no more than this share: of machines that were told
# the width of their tube, and of others.
_SAME_SUM = 1e-9
_SAME_SUM_OF_OTHERS = 1e-6

# Relative gaps asked of the solver, one after the other, until the one certified is ten times as large.
_ASKED = (1e-3, 1e-5, 1e-7, 1e-9)
_CLEARLY_LARGER = 10
# Some dozens of Newton's steps do, or some hundred passes over the rows; hard problems get ten times the passes that
# LIBLINEAR makes by default.
_NEWTON_STEPS = 1_000
_PASSES = 10_000
# Where a dense method can take over, it is quicker than more passes.
_FEW_PASSES = 1_000
_IN_PASSES = (LinearMethod.COORDINATES, LinearMethod.CRAMMER_SINGER)
# The method of multipliers does not: on columns of many scales it goes astray from where it ended.
_GOING_ON = (*_IN_PASSES, LinearMethod.LASSO)

# A dual value may be so much above the primal one, relative to it, by rounding.
_ROUNDING = 1e-9


def certify_kernel_machine(task: Task, machine: KernelMachine, widths: Floats | None = None) -> Certificate:
    """The certificate of a machine whose functions are the groups of the task.

    `widths` are ρ of ν-classification, or ε of ν-regression, where the machine was told them: else they follow from its
    coefficients.
    """
    problem, count, members = task.problem, len(task.rows), task.members
    coef = np.concatenate([machine.coef_at_rows(k, count)[chosen] for k, chosen in enumerate(members)])
    if isinstance(problem, (NuRegression, NuRegressionWithoutTube)):
        problem = _with_or_without_tube(problem, coef, _SAME_SUM_OF_OTHERS if widths is None else _SAME_SUM)
    if isinstance(problem, SupportVectorRegression) and problem.is_hard_tube:
        # Every C that is larger than all coefficients has the same machine.
        problem = problem.bounded(2 * float(np.abs(coef).max(initial=0.0)) or 1.0)
    low = np.concatenate([machine.low_at_rows(k, count)[chosen] for k, chosen in enumerate(members)])
    offsets = None if isinstance(problem, NuRegression) else machine.intercept[None]
    if isinstance(problem, NuClassification):
        # By what the machine was divided, the sums of its coefficients tell; it is ρ unless that is next to nothing.
        divisor = problem.fixed_sums[0] / problem.sums(coef)[0]
        coef, low = Extended(coef, low).times(problem.groups.spread(divisor))
        offsets = problem.offsets_around(machine.intercept * divisor, divisor if widths is None else widths)
    if problem.sums_kept == 0 and machine.intercept.any():
        raise InputError(
            f"certify: expected a machine without an intercept, as its problem has none, got {machine.intercept}. Fit "
            "the estimator again instead of changing its arrays."
        )
    threads, digits = available_threads(), low if machine.is_precise else None
    evidence = evidence_of(problem, task.rows, members, coef, offsets, threads, low=digits)
    if digits is None and _accuracy(evidence) > _COARSE:
        precise = more_precise(evidence, offsets)
        evidence = precise if _accuracy(precise) < _accuracy(evidence) else evidence
    if isinstance(problem, NuRegression):
        # Machines of others tell the middle of their tube only; the width is what fits best to it.
        best = problem.width_around(machine.intercept, evidence.kkt.offsets)
        width = best if widths is None else widths
        evidence = replace(evidence, offsets=problem.offsets_around(machine.intercept, width))
    return evidence.certificate


def _with_or_without_tube(
    posed: NuRegression | NuRegressionWithoutTube, coef: Floats, same: float
) -> NuRegression | NuRegressionWithoutTube:
    """The problem of ν-regression that the coefficients are about.

    LIBSVM's second sum counts coefficients that cancel, ours does not: where it is below its bound, the tube has no
    width.
    """
    y, bounds, size = posed.slope, posed.upper, float(np.abs(coef).sum())
    if size < posed.most * (1 - same):
        return NuRegressionWithoutTube.of(y, bounds)
    return NuRegression.around(y, bounds, coef * (posed.most / size))


def _accuracy(evidence: Evidence) -> float:
    return max(certificate.accuracy for certificate in evidence.certificates)


def certify_linear_machine(task: LinearTask, machine: LinearMachine) -> Certificate:
    """The certificate of a machine whose functions are the problems of the task, or all classes of one problem."""
    first = task.problems[0]
    if isinstance(first, CrammerSingerProblem):
        return _Judge(first, task.rows, machine.weights, machine.intercept).certificate()
    pieces = zip(task.problems, machine.weights, machine.intercept, strict=True)
    return Certificate.of_several([_Judge(one, task.rows, w, float(b)).certificate() for one, w, b in pieces])


class _Judge:
    """Looks for the dual point with the highest bound on the optimum of one problem."""

    def __init__(
        self,
        problem: LinearProblem | CrammerSingerProblem,
        rows: LinearRows,
        weights: Floats,
        intercept: Floats | float,
    ) -> None:
        self.problem, self.rows, self.threads = problem, rows, available_threads()
        self.weights, self.intercept = weights, intercept

    def certificate(self) -> Certificate:
        problem, rows, threads = self.problem, self.rows, self.threads
        at_values = problem.coef_at(self._values())
        found = LinearOutcome(self.weights, self.intercept, at_values, 0, Status.STALLED, at_values)
        best = self._judged(found)
        plan = plan_linear(rows.X, problem)
        passes = _FEW_PASSES if may_solve_linear_densely(problem, rows.X) else _PASSES
        limits = Terms(steps=passes if plan.method in _IN_PASSES else _NEWTON_STEPS)
        joined = problem.intercept.joined(self.weights, self.intercept)
        start = [joined] if plan.method is LinearMethod.LASSO else None
        is_near = best.relative_gap <= _ASKED[-1]
        for gap_tol in _ASKED:
            if best.relative_gap <= _ASKED[-1]:
                break
            (found,) = solve_linear([problem], plan, rows, limits._replace(tol=gap_tol), threads, starts=start)
            best = max(best, self._judged(found), key=_bound)
            start = [found.start] if plan.method in _GOING_ON else None
            if found.status is not Status.SOLVED:
                found = solved_densely(problem, rows, self._own, found, Terms(tol=gap_tol), threads)
                best = max(best, self._judged(found), key=_bound)
            reached = self._own(found).relative_gap
            is_near = is_near or reached <= gap_tol
            if reached > gap_tol or best.relative_gap >= _CLEARLY_LARGER * gap_tol:
                break
        is_near = is_near or best.relative_gap <= _CLEARLY_LARGER * _ASKED[-1]
        return best if is_near else replace(best, is_proven=False)

    def _own(self, found: LinearOutcome) -> Certificate:
        """That of the machine that was found with the dual variables: how near these are to their optimum."""
        return certify_outcome(self.problem, self.rows, found, self.threads)

    def _judged(self, found: LinearOutcome) -> Certificate:
        return self._own(found._replace(weights=self.weights, intercept=self.intercept))

    def _values(self) -> Floats:
        """The functions at the rows of the problem: one value a row, or of all classes at once one column each."""
        weights = np.atleast_2d(self.weights)
        values = linear_values(self.rows.view, self.problem.rows, weights, self.intercept, self.threads)
        return values if isinstance(self.problem, CrammerSingerProblem) else values[:, 0]


def _bound(certificate: Certificate) -> float:
    """The dual value; none where it exceeds the primal one, which is rounding, or is no number."""
    sound = certificate.dual <= certificate.primal + _ROUNDING * abs(certificate.primal)
    return certificate.dual if sound else -np.inf
