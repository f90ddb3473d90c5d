"""Ridge regression: solve, certify, go on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mercer._runtime import available_threads
from mercer.certificates import RidgeCertificate, certify_ridge
from mercer.errors import NumericsWarning, warn_user
from mercer.problems import RidgeProblem
from mercer.rows import Budget, Rows
from mercer.solvers import RidgeOutcome, Status, Terms, few_threads, solve_ridge
from mercer.typing import Floats

__all__ = ["RidgeFitted", "RidgeTask", "fit_ridge"]

# The share of the tolerance that is asked for where a certificate is not content.
_HARDER = 0.1


class RidgeTask(NamedTuple):
    """A ridge problem on its rows; `tol` is the relative residual that is allowed, NaN leaves it to the method."""

    problem: RidgeProblem
    rows: Rows
    tol: float = np.nan


class RidgeFitted(NamedTuple):
    """Coefficients and intercepts with their proof; how it ended, and how it was done."""

    coef: Floats
    intercept: Floats
    certificate: RidgeCertificate
    status: Status
    steps: int
    tol: float
    #: Directions in which the system has no solution, and the coefficients are zero.
    left_out: int
    sentence: str


def fit_ridge(task: RidgeTask, budget: Budget, limits: Terms, solver: str = "auto") -> RidgeFitted:
    """Solves the system and certifies it; what a solver believes to be solved but is not is asked for more."""
    problem, rows = task.problem, task.rows
    threads = available_threads() if budget.threads is None else budget.threads
    rows.keep_values(budget.bytes)
    with few_threads(len(rows), threads):
        terms = limits._replace(tol=task.tol)
        found = solve_ridge(problem, rows, budget, threads, terms, solver)
        proof = certify_ridge(problem, rows, found.coef, found.intercept, threads)
        if found.status is Status.SOLVED and not found.left_out and not proof.holds(found.tol):
            terms = limits._replace(tol=_HARDER * found.tol)
            again = solve_ridge(problem, rows, budget, threads, terms, solver)
            other = certify_ridge(problem, rows, again.coef, again.intercept, threads)
            if other.residual < proof.residual:
                found, proof = again._replace(tol=found.tol, steps=found.steps + again.steps), other
    if found.left_out:
        warn_user(
            NumericsWarning(
                f"Singular matrix: expected K + alpha to be positive definite, got one with {found.left_out} "
                "directions without a solution. The coefficients of least norm are taken; raise alpha."
            )
        )
    return RidgeFitted(
        *(found.coef, found.intercept, proof, _status(found, proof)),
        *(found.steps, found.tol, found.left_out, found.sentence),
    )


def _status(found: RidgeOutcome, proof: RidgeCertificate) -> Status:
    if proof.holds(found.tol):
        return Status.SOLVED if proof.convex is not False else Status.STATIONARY
    return Status.STALLED if found.status is Status.SOLVED else found.status
