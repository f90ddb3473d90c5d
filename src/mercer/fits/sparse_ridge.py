"""Ridge regression over landmarks: solve, choose α where there are several, certify against the problem of all rows."""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer.certificates import SparseRidgeCertificate, certify_sparse_ridge
from mercer.costs import EXACT_FEATURE_SECONDS, EXACT_VALUE_SECONDS
from mercer.errors import InputError, NumericsWarning, warn_user
from mercer.fits.ridge import RidgeTask
from mercer.rows import KernelColumns
from mercer.solvers import Status, Terms, few_threads
from mercer.solvers.systems import (
    LANDMARK_TOL,
    Ended,
    LandmarkOutcome,
    LandmarkSystem,
    landmark_errors,
    solve_over_landmarks,
)
from mercer.typing import Floats

__all__ = ["PROOFS", "SparseRidgeFitted", "fit_sparse_ridge", "left_out_over_landmarks"]

PROOFS = ("auto", "exact", "bounded")
# Seconds that kernel values between all rows may take, by what they cost: 100,000 rows of 54 features.
_QUICK = 60.0
# Where a function of Python makes them, so many times those that the fit needs.
_FEW_TIMES = 4


class SparseRidgeFitted(NamedTuple):
    """Coefficients at the landmarks and intercepts with their proof; how it ended, and how it was done.

    `kernel_left` is trace(K − K̂) / trace(K); `mean_squares` are errors at rows left out for each α and column of
    targets, where there was a choice.
    """

    coef: Floats
    intercept: Floats
    alpha: Floats
    certificate: SparseRidgeCertificate
    status: Status
    steps: int
    tol: float
    #: Directions in which the system has no solution, and the function is zero.
    left_out: int
    kernel_left: float
    mean_squares: Floats | None
    sentence: str


def fit_sparse_ridge(
    task: RidgeTask, columns: KernelColumns, limits: Terms, proof: str, alphas: Floats | None = None
) -> SparseRidgeFitted:
    """Solves the system of the landmarks and certifies the solution; α is the task's, or the best of some `alphas`.

    `proof` is "exact", "bounded", or "auto": exact as long as that is quick.
    """
    problem, squares = task.problem, None
    tol = LANDMARK_TOL if np.isnan(task.tol) else task.tol
    with few_threads(len(columns), columns.threads):
        try:
            system = LandmarkSystem(problem, columns, limits._replace(tol=tol))
            if alphas is not None:
                squares = _mean_squares(landmark_errors(system, alphas), problem.weights)
                best = float(alphas[int(np.argmin(squares.mean(axis=1)))])
                problem = problem.with_alpha(np.full(problem.targets.shape[1], best))
            found, left = solve_over_landmarks(system, problem.alpha), system.left
        except Ended as ended:
            if alphas is not None:
                raise InputError(
                    f"{ended} Expected time to try all alphas, which takes two passes through the rows. Raise "
                    "time_limit, or lower n_components."
                ) from None
            found, left = _nothing(problem.middles, columns, ended), columns.rows.diagonal
        is_exact = proof == "exact" or (proof == "auto" and _is_quick(columns, limits.ends))
        certificate = certify_sparse_ridge(
            problem, columns, found.coef, found.intercept, None if is_exact else np.maximum(left, 0.0)
        )
    if found.left_out:
        warn_user(
            NumericsWarning(
                "Singular matrix: expected the system of the landmarks to be positive definite, got one with "
                f"{found.left_out} directions without a solution. The function of least norm is taken; raise alpha."
            )
        )
    trace = float(columns.rows.diagonal.sum())
    return SparseRidgeFitted(
        coef=found.coef,
        intercept=found.intercept,
        alpha=problem.alpha,
        certificate=certificate,
        status=_status(found, certificate, tol),
        steps=found.steps,
        tol=tol,
        left_out=found.left_out,
        kernel_left=float(left.sum()) / trace if trace else 0.0,
        mean_squares=squares,
        sentence=found.sentence,
    )


def left_out_over_landmarks(task: RidgeTask, columns: KernelColumns, limits: Terms) -> Floats:
    """y_i − f₋ᵢ(x_i) of every row and column of targets, each column with its own α."""
    problem = task.problem
    alphas, which = np.unique(problem.alpha, return_inverse=True)
    with few_threads(len(columns), columns.threads):
        errors = landmark_errors(LandmarkSystem(problem, columns, limits), alphas)
    return np.stack([errors[place, :, column] for column, place in enumerate(which.tolist())], axis=1)


def _mean_squares(errors: Floats, weights: Floats) -> Floats:
    """For every α and column of targets."""
    return np.asarray(np.einsum("i,aic->ac", weights / weights.sum(), errors**2))


def _nothing(middles: Floats, columns: KernelColumns, ended: Ended) -> LandmarkOutcome:
    told = "No coefficient is known, for it ended before all rows were seen: the machine is the mean of the targets."
    return LandmarkOutcome(np.zeros((columns.width, len(middles))), middles.copy(), 0, ended.status, 0, told)


def _is_quick(columns: KernelColumns, ends: float) -> bool:
    """Whether the kernel values between all rows take little time, and no more than there is."""
    n, rows = len(columns), columns.rows
    if not rows.is_computed and not rows.kernel.is_pairwise:
        return n <= _FEW_TIMES * columns.width and ends == np.inf
    seconds = n * n * (EXACT_VALUE_SECONDS + EXACT_FEATURE_SECONDS * rows.features)
    return seconds <= min(_QUICK, ends - perf_counter())


def _status(found: LandmarkOutcome, proof: SparseRidgeCertificate, tol: float) -> Status:
    if found.status not in (Status.SOLVED, Status.STALLED):
        return found.status
    if proof.holds(tol):
        return Status.SOLVED if proof.convex is not False else Status.STATIONARY
    return Status.STALLED
