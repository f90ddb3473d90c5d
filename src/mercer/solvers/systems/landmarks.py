"""Ridge regression over landmarks: the best function among those that some columns of the kernel matrix span.

Solves       (FᵀVF + α) w = FᵀV (y − mean), F = (K_XZ − mean) L⁻ᵀ, and c = L⁻ᵀ w; means where there is an intercept
Given        the problem, columns of the kernel matrix, the terms, and α of every column of targets
Returns      c at the landmarks and b of every column of targets
Stops when   what the system leaves, evaluated from kernel values and not from FᵀVF, is within the tolerance
See          Rudi, Camoriano and Rosasco, Less is more: Nyström computational regularization, NIPS 2015;
             Björck, Stability analysis of the method of seminormal equations, Linear Algebra Appl. 1987

FᵀVF squares the condition of F. So its factor is what steps are made with, and residuals are made of kernel values
anew: that is about as exact as an orthogonal factor of F, in half the time. Rows go through in blocks; nothing of the
size of all columns is kept.
"""

from __future__ import annotations

from functools import cached_property
from time import perf_counter
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from mercer.errors import KernelError
from mercer.problems import RidgeProblem
from mercer.rows import KernelColumns, Whitening, whiten
from mercer.solvers.protocol import Terms
from mercer.solvers.status import Status
from mercer.typing import Floats, Integers

__all__ = ["LANDMARK_TOL", "Ended", "LandmarkOutcome", "LandmarkSystem", "landmark_size", "solve_over_landmarks"]

#: The residual that is asked for where nobody says.
LANDMARK_TOL = 1e-10
# A step that leaves more of the residual than this is not worth another one.
_WORTH = 0.5


class Ended(Exception):
    """Somebody asked for an end, or the time is up, before there was anything."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.value)
        self.status = status


class LandmarkOutcome(NamedTuple):
    """Coefficients at the landmarks and intercepts, steps of refinement, how it ended, and how it was done.

    `left_out` counts directions without a solution, in which the function is zero.
    """

    coef: Floats
    intercept: Floats
    steps: int
    status: Status
    left_out: int
    sentence: str


class LandmarkSystem:
    """FᵀVF, FᵀV (y − mean), and what is left of k(x, x) of each row: what one pass through the rows tells.

    Raises `Ended` where that is asked for, or the time is up, on the way.
    """

    def __init__(self, problem: RidgeProblem, columns: KernelColumns, terms: Terms) -> None:
        self.problem, self.columns, self.terms = problem, columns, terms
        self.whitening: Whitening = whiten(columns.among)
        if not self.whitening.rank and np.any(columns.among < 0):
            raise KernelError(
                f"Expected a positive semi-definite kernel, got {columns.rows.kernel}, with k(z, z) ≤ 0 at all "
                "landmarks. Use KernelRidge, which solves its system all the same."
            )
        self.steps = 0
        self.residual = 1.0
        self.targets = problem.targets - problem.middles
        self.means = self._means()
        self.size = landmark_size(problem, columns)
        self._go_through()

    def _means(self) -> Floats:
        """The weighted means of the columns, where there is an intercept."""
        means, weights = np.zeros(self.columns.width), self.problem.weights
        if self.problem.has_intercept:
            for block, values in self.columns.blocks():
                self.look()
                means += weights[block] @ values
            means /= weights.sum()
        return means

    def _go_through(self) -> None:
        rank, roots = self.whitening.rank, self.problem.roots
        gram = np.zeros((rank, rank), order="F")
        self.right = np.zeros((rank, self.targets.shape[1]))
        self.left = np.array(self.columns.rows.diagonal, dtype=np.float64)
        middle = self.whitening.pulled(self.means[:, None])[:, 0]
        for block, values in self.columns.blocks():
            self.look()
            F = self.whitening.features(values - self.means)
            # Around their means, squares of the features are those of F − mean; those of F are what K̂ has.
            self.left[block] -= np.einsum("ij,ij->j", F, F) + 2 * (middle @ F) + float(middle @ middle)
            F *= roots[block]
            self.right += F @ (roots[block][:, None] * self.targets[block])
            if rank:
                gram = dsyrk(1.0, F, beta=1.0, c=gram, lower=1, overwrite_c=1)
        self.gram = gram

    def gradient(self, w: Floats, alpha: Floats) -> Floats:
        """FᵀV (y − F w) − α w, from kernel values and coefficients at the landmarks."""
        coef, sums = self.coef(w), np.zeros((self.columns.width, w.shape[1]))
        weights = self.problem.weights[:, None]
        for block, values in self.columns.blocks():
            self.look()
            values = values - self.means
            sums += values.T @ (weights[block] * (self.targets[block] - values @ coef))
        return self.whitening.pulled(sums) - alpha * w

    def coef(self, w: Floats) -> Floats:
        return self.whitening.coef(w, self.columns.width)

    @cached_property
    def spectrum(self) -> tuple[Floats, Floats]:
        """The eigenvalues of FᵀVF, none below zero, and its eigenvectors."""
        values, vectors = eigh(self.gram, lower=True, check_finite=False, driver="evd")
        return np.maximum(values, 0.0), vectors

    def factored(self, alpha: float) -> Floats | None:
        """The Cholesky factor of FᵀVF + α; None where that is singular up to rounding."""
        if not len(self.gram):
            return self.gram
        shifted = self.gram.copy(order="F")
        shifted.T.reshape(-1)[:: len(shifted) + 1] += alpha
        L, info = dpotrf(shifted, lower=1, overwrite_a=1, clean=0)
        pivots = np.diagonal(L) ** 2
        is_singular = info or pivots.min() <= len(L) * np.finfo(np.float64).eps * pivots.max()
        return None if is_singular else L

    def look(self) -> None:
        """Raises where there is to be an end."""
        terms = self.terms
        if perf_counter() >= terms.ends:
            raise Ended(Status.TIME_LIMIT)
        asked = terms.report is not None and terms.report(0.0, self.steps, self.residual, len(self.columns), 0)
        if asked:
            raise Ended(Status.INTERRUPTED)


def landmark_size(problem: RidgeProblem, columns: KernelColumns) -> Floats:
    """What a residual is small beside: ‖√v F‖ ‖√v (y − mean)‖ of every column, with k(x, x) in the place of ‖F‖²."""
    spread = float(np.linalg.norm(problem.roots * columns.rows.magnitude))
    sizes = spread * problem.sizes
    return np.where(sizes > 0, sizes, 1.0)


def solve_over_landmarks(system: LandmarkSystem, alpha: Floats) -> LandmarkOutcome:
    """Solves for all targets, each with its α, and refines until the residuals are within the tolerance."""
    inverses, left_out = _inverses(system, alpha)
    w, status = _refined(system, inverses, alpha)
    coef = system.coef(w)
    return LandmarkOutcome(
        *(coef, system.problem.middles - system.means @ coef, system.steps, status, left_out),
        _sentence(system.columns, system.whitening.rank, left_out),
    )


class _Inverse(NamedTuple):
    """FᵀVF + α of one α, turned over: by a factor, or by what is not zero of its eigenvalues."""

    columns: Integers
    factor: Floats | None
    vectors: Floats | None = None
    values: Floats | None = None

    def __call__(self, r: Floats) -> Floats:
        if not len(r):
            return r
        if self.factor is not None:
            return np.asarray(dpotrs(self.factor, r, lower=1)[0])
        assert self.vectors is not None
        assert self.values is not None
        return np.asarray(self.vectors @ ((self.vectors.T @ r) / self.values[:, None]))


def _inverses(system: LandmarkSystem, alphas: Floats) -> tuple[list[_Inverse], int]:
    found, left_out = [], 0
    for alpha in np.unique(alphas).tolist():
        columns = np.flatnonzero(alphas == alpha)
        factor = system.factored(alpha)
        if factor is not None:
            found.append(_Inverse(columns, factor))
            continue
        values, vectors = system.spectrum
        values = values + alpha
        # What an eigenvalue can be by rounding alone.
        kept = values > len(values) * np.finfo(np.float64).eps * float(values.max(initial=0.0))
        left_out = max(left_out, int(np.count_nonzero(~kept)))
        found.append(_Inverse(columns, None, vectors[:, kept], values[kept]))
    return found, left_out


def _refined(system: LandmarkSystem, inverses: list[_Inverse], alpha: Floats) -> tuple[Floats, Status]:
    """w, from the factor and then from residuals, and how that ended."""
    tol = system.terms.tol

    def solved(r: Floats) -> Floats:
        step = np.zeros_like(r)
        for inverse in inverses:
            step[:, inverse.columns] = inverse(r[:, inverse.columns])
        return step

    w = solved(system.right)
    try:
        system.steps, gradient = 1, system.gradient(w, alpha)
        system.residual = _worst(gradient, system.size)
        while system.residual > tol:
            if system.steps >= system.terms.steps:
                return w, Status.ITERATION_LIMIT
            moved = w + solved(gradient)
            system.steps += 1
            gradient = system.gradient(moved, alpha)
            residual = _worst(gradient, system.size)
            is_worth = residual < _WORTH * system.residual
            if residual < system.residual:
                w, system.residual = moved, residual
            if not is_worth:
                return w, Status.SOLVED if system.residual <= tol else Status.STALLED
    except Ended as ended:
        return w, ended.status
    return w, Status.SOLVED


def _worst(gradient: Floats, size: Floats) -> float:
    return float(np.max(np.linalg.norm(gradient, axis=0) / size, initial=0.0))


def _sentence(columns: KernelColumns, rank: int, left_out: int) -> str:
    told = (
        f"The system of {columns.width} landmarks is solved by a Cholesky factor in float64 of what {len(columns)} "
        "rows sum to, a block at a time, and refined by kernel values made anew."
    )
    if rank < columns.width:
        is_definite = columns.rows.is_definite is not False
        why = "which the others explain" if is_definite else "which have no norm beside the others"
        told += f" {columns.width - rank} landmarks, {why} up to rounding, are left out."
    if left_out:
        told += f" It is singular: the solution is that of least norm, and {left_out} directions are left out."
    return told
