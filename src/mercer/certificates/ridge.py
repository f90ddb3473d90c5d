"""The proof of ridge regression: what its linear system leaves, and how far from the optimum that can be.

With r̃ = √v (y − K c − b − α c / v) and a kernel that is positive semi-definite:

- the duality gap is ½ ‖r̃‖²: the objective is no farther than that from the least one;
- √v⁻¹ c is no farther than ‖r̃‖ / α from that of the optimum, for no eigenvalue of the system is below α;
- the values at the rows, weighted by √v, are no farther than ‖r̃‖ from those of the optimum;
- the function without its intercept is no farther than ‖r̃‖ / (2 √α) in feature space, and so nowhere farther than
  √k(x, x) times that.

The products K c are evaluated anew, from the data, in float64; nothing comes from the solver. How far rounding can have
moved ‖r̃‖ is added to it in all of these bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.certificates.certificate import FEASIBLE
from mercer.problems import RidgeProblem
from mercer.rows import Rows
from mercer.typing import Floats

__all__ = ["RidgeCertificate", "certify_ridge"]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class RidgeCertificate:
    """How far ridge regression is from its optimum, recomputed from the machine alone.

    Attributes
    ----------
    problem : str
        What was minimised.
    rows, functions : int
        Training rows with a positive weight, and columns of targets.
    primal, gap, relative_gap : float
        The objective, how much larger it can be than the least one, and that as a share of it; sums over all columns.
    residual : float
        What the linear system leaves, relative to the targets (less their means, where there is an intercept): that of
        the worst column. It is what `tol` means.
    coef_distance, value_distance, function_distance : float
        How far from those of the optimum can be at most: the coefficients divided by √weight, in the Euclidean norm;
        the values at the rows times √weight; the functions without intercepts, in the norm of feature space. Infinite
        where α is zero. Of the worst column.
    sum_residual : float
        |Σ c| / Σ |c|, which is zero at the optimum where there is an intercept; else zero.
    convex : bool or None
        Whether the kernel is positive semi-definite; None where nobody knows. Without it, the residual stands alone.
    accuracy : float
        How far rounding can have moved the residual, relative to the targets.
    """

    problem: str
    rows: int
    functions: int
    primal: float
    gap: float
    residual: float
    coef_distance: float
    value_distance: float
    function_distance: float
    sum_residual: float
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
        """Whether the residual is within `tol`, and the coefficients are feasible."""
        return self.residual <= tol and self.sum_residual <= FEASIBLE

    def __str__(self) -> str:
        functions = "" if self.functions == 1 else f", {self.functions} functions"
        about = f"{self.problem} on {self.rows} rows{functions}."
        system = f"The linear system leaves {self.residual:.2g} of the targets."
        if self.convex is False:
            bound = "The kernel is not positive semi-definite, so this solves the system, which need not be an optimum."
        else:
            given = "" if self.convex else "If the kernel is positive semi-definite, "
            bound = (
                f"{given}{'n' if given else 'N'}o machine has an objective below {self.dual:.8g}; this one has "
                f"{self.primal:.8g}, at most {self.gap:.2g} more, and its values at the rows are within "
                f"{self.value_distance:.2g} of the best ones."
            )
        infeasible = ""
        if self.sum_residual > FEASIBLE:
            infeasible = (
                f" The coefficients do not add up to zero, by {self.sum_residual:.2g} of them: were these the data and "
                "weights it was trained on?"
            )
        return f"{about} {system} {bound}{infeasible} Recomputed from the data, rounding below {self.accuracy:.1g}."


def certify_ridge(problem: RidgeProblem, rows: Rows, coef: Floats, intercept: Floats, threads: int) -> RidgeCertificate:
    """The certificate of coefficients and intercepts, one column a function, on the rows of the problem."""
    products = rows.products(coef, threads)
    norms = np.linalg.norm(problem.residuals(coef, intercept, products), axis=0)
    moved = _rounding(problem, rows, coef)
    most = norms + moved
    primal = problem.primal(coef, intercept, products)
    sizes = np.where(problem.sizes > 0, problem.sizes, 1.0)
    total = np.abs(coef).sum(axis=0)
    sums = np.abs(coef.sum(axis=0)) / np.where(total > 0, total, 1.0) if problem.has_intercept else np.zeros(1)
    if np.max(sums) > FEASIBLE:
        nearest = problem.feasible(coef)
        errors = np.linalg.norm(problem.roots[:, None] * (problem.targets - intercept - products), axis=0)
        gaps = primal - _dual(problem, rows, nearest, threads)
        gaps += _objective_rounding(problem, coef, errors, moved)
        gaps += _objective_rounding(problem, nearest, 0.0, _rounding(problem, rows, nearest))
    else:
        gaps = 0.5 * most**2
    with np.errstate(divide="ignore", invalid="ignore"):
        by_coef = np.where(most > 0, most / problem.alpha, 0.0)
        by_function = np.where(most > 0, most / (2 * np.sqrt(problem.alpha)), 0.0)
    return RidgeCertificate(
        problem=problem.name,
        rows=len(problem),
        functions=len(intercept),
        primal=float(primal.sum()),
        gap=float(gaps.sum()),
        residual=float(np.max(norms / sizes)),
        coef_distance=float(np.max(by_coef)),
        value_distance=float(np.max(most)),
        function_distance=float(np.max(by_function)),
        sum_residual=float(np.max(sums)),
        convex=rows.is_definite,
        accuracy=float(np.max(moved / sizes)),
    )


def _dual(problem: RidgeProblem, rows: Rows, coef: Floats, threads: int) -> Floats:
    products = rows.products(coef, threads)
    gains = np.einsum("ij,ij->j", coef, problem.targets - 0.5 * products)
    return np.asarray(
        problem.alpha * (gains - 0.5 * problem.alpha * np.sum(coef**2 / problem.weights[:, None], axis=0))
    )


def _objective_rounding(problem: RidgeProblem, coef: Floats, errors: Floats | float, moved: Floats) -> Floats:
    """How far an objective can be off, where products are by `moved`, and errors are so large."""
    coefs = np.linalg.norm(coef / problem.roots[:, None], axis=0)
    return np.asarray(moved * (errors + 0.5 * moved + 0.5 * problem.alpha * coefs))


def _rounding(problem: RidgeProblem, rows: Rows, coef: Floats) -> Floats:
    """How far rounding can have moved ‖r̃‖: kernel values, their sums, and the differences that r̃ is made of."""
    magnitude = rows.magnitude
    sums = magnitude @ np.abs(coef)
    values = float(np.linalg.norm(problem.roots * magnitude)) * sums
    others = np.linalg.norm(problem.roots[:, None] * problem.targets, axis=0)
    return np.asarray(_EPS * ((float(rows.rounding.max()) + len(problem) ** 0.5) * values + others))
