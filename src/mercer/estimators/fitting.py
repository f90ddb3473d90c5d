"""The one way from a problem to a certified expansion, the same for every estimator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from mercer.certificates import Certificate, certify_classification, prove_inseparable
from mercer.errors import NotSeparableError
from mercer.gram import GramPlan, TrainingRows
from mercer.machines import evaluate_expansion
from mercer.problems import SupportVectorClassification
from mercer.solvers import Limits, Report, Result, Status, WorkingSetSolver

__all__ = ["FittedExpansion", "fit_expansion", "certificate_of"]

# Hard margin: suspect that there is none once it is proved to be below this share of the data's radius, and give up
# where it is below the last.
_SUSPICIOUS_MARGIN = 1e-3
_HOPELESS_MARGIN = 1e-8


@dataclass(frozen=True)
class FittedExpansion:
    """Coefficients for the training rows, the intercept, and the proof."""

    coef: np.ndarray
    intercept: float
    certificate: Certificate
    status: Status
    steps: int


def fit_expansion(
    problem: SupportVectorClassification,
    training: TrainingRows,
    plan: GramPlan,
    solver: WorkingSetSolver,
    limits: Limits,
    start: np.ndarray | None = None,
    report: Report | None = None,
) -> FittedExpansion:
    """Solves the problem on the training rows and certifies what came out.

    Only the certificate can say "solved": a solver that believes so but whose machine violates the tolerance has stalled.
    """
    result = _solve(problem, training, plan, solver, limits, start, report)
    coef = problem.coef(result.alpha)
    products = evaluate_expansion(training.kernel, training.X, training.rows, coef, training.rows, plan.threads)
    intercept = problem.intercept(result.alpha, products)
    certificate = certificate_of(problem, training, coef, intercept, products)
    holds = certificate.holds(solver.tol, solver.gap_tol)
    status = Status.SOLVED if holds else Status.STALLED if result.status is Status.SOLVED else result.status
    return FittedExpansion(coef, intercept, certificate, status, result.steps)


def certificate_of(
    problem: SupportVectorClassification,
    training: TrainingRows,
    coef: np.ndarray,
    intercept: float,
    products: np.ndarray,
) -> Certificate:
    """The certificate of an expansion whose values at the training rows are given."""
    kernel, rows = training.kernel, training.rows
    inputs = training.X[np.ix_(rows, rows)] if kernel.is_pairwise else training.X[rows]
    return certify_classification(
        problem,
        coef,
        intercept,
        products,
        diagonal=kernel.diagonal(inputs),
        convex=kernel.is_definite,
        rounding=kernel.rounding(inputs),
    )


def _solve(
    problem: SupportVectorClassification,
    training: TrainingRows,
    plan: GramPlan,
    solver: WorkingSetSolver,
    limits: Limits,
    start: np.ndarray | None,
    report: Report | None,
) -> Result:
    """Runs the solver; under the hard margin, as often as it takes to find the margin or to prove that there is none."""
    if problem.is_hard_margin:
        solver = replace(solver, least_margin=_SUSPICIOUS_MARGIN)
    began = perf_counter()
    steps = 0
    while True:
        left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
        result = solver.solve(problem.lower(start), training, plan, left, report)
        steps += result.steps
        if result.status is not Status.NO_MARGIN:
            return replace(result, steps=steps)
        proof = prove_inseparable(training, problem.signs, result.alpha)
        if proof.holds or solver.least_margin < _HOPELESS_MARGIN:
            raise NotSeparableError(
                f"C=inf asks for a hyperplane that separates the classes: expected separable data, got none such. {proof} "
                "Use a finite C, or a kernel that separates these data.",
                proof,
            )
        start = result.alpha
        solver = replace(solver, least_margin=0.1 * solver.least_margin)
