"""The proof of ridge regression over landmarks, against the problem of all rows.

A machine f = Σ_z c_z k(z, ·) + b is one of those that the problem of all rows allows: its objective P is no less than
the least one. With u = v (y − f − b) at the rows, less their mean where there is an intercept, every multiple of u is
allowed in the dual, and the best of them proves that no machine has an objective below

    D = ½ α (yᵀu)² / (uᵀKu + α Σ u_i² / v_i).

- "exact": uᵀKu is evaluated from the kernel values between all rows.
- "bounded": uᵀKu ≤ ‖Fᵀu‖² + (Σ |u_i| √r_i)² with K̂ = F Fᵀ the approximation by the landmarks and r the diagonal of
  K − K̂, for |K − K̂|_ij ≤ √(r_i r_j). It takes values between rows and landmarks only, and can be far from sharp: it is
  near where the sum of all r is below α.

The objective is a square around its least value. So values at the rows, times √v, are no farther than √(2 (P − D)) from
the best ones, and functions in feature space no farther than √(2 (P − D) / α).

Of its own system, over the landmarks, what is left is g = Fᵀu − α w, w with ‖f‖ = ‖w‖: no function of the same
landmarks has an objective that is lower by more than ‖g‖² / (2 α).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mercer.problems import RidgeProblem
from mercer.rows import KernelColumns, whiten
from mercer.typing import Floats

__all__ = ["SparseRidgeCertificate", "certify_sparse_ridge"]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class SparseRidgeCertificate:
    """How far ridge regression over landmarks is from the optimum over all rows, recomputed from the machine alone.

    Attributes
    ----------
    problem : str
        What was minimised.
    rows, landmarks, functions : int
        Training rows with a positive weight, landmarks, and columns of targets.
    tier : {"exact", "bounded"}
        Whether the lower bound comes from the kernel values between all rows, or from those with the landmarks.
    primal, gap, relative_gap : float
        The objective, how much larger it can be than the least one of any machine on all rows, and that as a share of
        it; sums over all columns.
    residual : float
        What the system over the landmarks leaves, relative to √(Σ v k(x, x)) times the norm of the targets (less their
        means, where there is an intercept): that of the worst column. It is what `tol` means.
    own_gap : float
        How much larger the objective can be than the least one over the same landmarks, by that residual.
    value_distance, function_distance : float
        How far from those of the optimum over all rows can be at most: the values at the rows times √weight; the
        functions without intercepts, in the norm of feature space. Of the worst column; infinite where α is zero.
    convex : bool or None
        Whether the kernel is positive semi-definite; None where nobody knows. Without it, the residual stands alone.
    accuracy : float
        How far rounding can have moved the residual.
    """

    problem: str
    rows: int
    landmarks: int
    functions: int
    tier: str
    primal: float
    gap: float
    residual: float
    own_gap: float
    value_distance: float
    function_distance: float
    convex: bool | None
    accuracy: float

    @property
    def dual(self) -> float:
        """No machine has an objective below it."""
        return self.primal - self.gap

    @property
    def relative_gap(self) -> float:
        return self.gap / self.primal if self.primal > 0 else 0.0

    def holds(self, tol: float) -> bool:
        """Whether the residual of its own system is within `tol`."""
        return self.residual <= tol

    def __str__(self) -> str:
        functions = "" if self.functions == 1 else f", {self.functions} functions"
        about = f"{self.problem} on {self.rows} rows over {self.landmarks} landmarks{functions}."
        system = f"The linear system of the landmarks leaves {self.residual:.2g} of the targets."
        if self.convex is False:
            bound = "The kernel is not positive semi-definite, so this solves the system, which need not be an optimum."
            return f"{about} {system} {bound} Recomputed from the data, rounding below {self.accuracy:.1g}."
        given = "" if self.convex else "If the kernel is positive semi-definite, "
        by = "the kernel values between all rows" if self.tier == "exact" else "those with the landmarks alone"
        bound = (
            f"{given}{'n' if given else 'N'}o machine on all rows has an objective below {self.dual:.8g}; this one has "
            f"{self.primal:.8g}, at most {self.gap:.2g} more ({self.relative_gap:.2%}), and its values at the rows are "
            f"within {self.value_distance:.2g} of the best ones: {self.tier}, by {by}."
        )
        return f"{about} {system} {bound} Recomputed from the data, rounding below {self.accuracy:.1g}."


class _Evaluated(NamedTuple):
    """What one pass through the rows tells of a machine: u of every row, and K_ZX u."""

    missed: Floats
    multipliers: Floats
    pulled: Floats


def certify_sparse_ridge(
    problem: RidgeProblem, columns: KernelColumns, coef: Floats, intercept: Floats, left: Floats | None = None
) -> SparseRidgeCertificate:
    """The certificate of coefficients at landmarks and intercepts, one column a function, on the rows of the problem.

    "exact" without `left`; with it, the diagonal of K − K̂, "bounded".
    """
    among, whitening, alpha = columns.among, whiten(columns.among), problem.alpha
    seen = _evaluate(problem, columns, coef, intercept)
    norms = np.einsum("ij,ij->j", coef, among @ coef)
    primal = 0.5 * (problem.weights @ seen.missed**2 + alpha * norms)
    u = seen.multipliers
    if left is None:
        quadratic = np.einsum("ij,ij->j", u, columns.rows.products(u, columns.threads))
    else:
        explained = whitening.pulled(seen.pulled)
        rest = np.sqrt(np.maximum(left, 0.0)) @ np.abs(u)
        quadratic = np.einsum("ij,ij->j", explained, explained) + rest**2
    dual = _dual(problem, u, quadratic)
    gradient = whitening.pulled(seen.pulled) - alpha * whitening.weights(coef)
    residuals = np.linalg.norm(gradient, axis=0)
    # What the intercept leaves: with another one, and the same w, the objective is lower by half its square.
    sums = problem.weights @ seen.missed if problem.has_intercept else np.zeros(len(intercept))
    shifts = np.abs(sums) / float(np.linalg.norm(problem.roots))
    spread = float(np.linalg.norm(problem.roots * columns.rows.magnitude))
    sizes = np.where(spread * problem.sizes > 0, spread * problem.sizes, 1.0)
    gaps = np.maximum(primal - dual, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = 0.5 * shifts**2 + np.where(residuals > 0, residuals**2 / (2 * alpha), 0.0)
        by_function = np.where(gaps > 0, np.sqrt(2 * gaps / alpha), 0.0)
    return SparseRidgeCertificate(
        problem=problem.name,
        rows=len(problem),
        landmarks=columns.width,
        functions=len(intercept),
        tier="exact" if left is None else "bounded",
        primal=float(primal.sum()),
        gap=float(gaps.sum()),
        residual=float(np.max((residuals + spread * shifts) / sizes)),
        own_gap=float(own.sum()),
        value_distance=float(np.max(np.sqrt(2 * gaps))),
        function_distance=float(np.max(by_function)),
        convex=columns.rows.is_definite,
        accuracy=float(np.max(_rounding(problem, columns, coef, intercept) * spread / sizes)),
    )


def _evaluate(problem: RidgeProblem, columns: KernelColumns, coef: Floats, intercept: Floats) -> _Evaluated:
    missed = np.empty_like(problem.targets)
    for block, values in columns.blocks():
        missed[block] = (problem.targets[block] - intercept) - values @ coef
    multipliers = problem.feasible(problem.weights[:, None] * missed)
    pulled = np.zeros_like(coef)
    for block, values in columns.blocks():
        pulled += values.T @ multipliers[block]
    return _Evaluated(missed, multipliers, pulled)


def _dual(problem: RidgeProblem, u: Floats, quadratic: Floats) -> Floats:
    """The dual at the best multiple of u, one value a column."""
    along = np.maximum(np.einsum("ij,ij->j", u, problem.targets - problem.middles), 0.0)
    curvature = quadratic + problem.alpha * np.sum(u**2 / problem.weights[:, None], axis=0)
    return np.asarray(
        0.5 * problem.alpha * np.divide(along**2, curvature, out=np.zeros_like(along), where=curvature > 0)
    )


def _rounding(problem: RidgeProblem, columns: KernelColumns, coef: Floats, intercept: Floats) -> Floats:
    """How far rounding can have moved √v (y − f − b), in norm: kernel values, their sums, and differences.

    What the system leaves is made of it twice: along the landmarks, and along the intercept.
    """
    rows = columns.rows
    sums = columns.magnitude @ np.abs(coef)
    values = float(np.linalg.norm(problem.roots * rows.magnitude)) * sums
    others = np.linalg.norm(problem.roots[:, None] * problem.targets, axis=0)
    others += np.linalg.norm(problem.roots) * np.abs(intercept)
    return np.asarray(2 * _EPS * ((float(rows.rounding.max()) + columns.width**0.5) * values + others))
