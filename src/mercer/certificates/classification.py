"""The certificate of C-SVC and of the hard margin."""

from __future__ import annotations

import numpy as np

from mercer.certificates.certificate import Certificate
from mercer.problems import SupportVectorClassification
from mercer.typing import Floats

__all__ = ["certify_classification"]


def certify_classification(
    problem: SupportVectorClassification,
    coef: Floats,
    intercept: float,
    products: Floats,
    convex: bool | None,
    diagonal: Floats,
    accuracy: float,
) -> Certificate:
    """The certificate of a machine Σ coef_j k(x_j, ·) + intercept.

    Parameters
    ----------
    problem : SupportVectorClassification
        Signs and bounds of the rows.
    coef, intercept : ndarray, float
        The machine; one coefficient a row, zero where it is not a support vector.
    products : ndarray
        Σ_j coef_j k(x_j, x_i) for every row i, evaluated in float64.
    convex : bool or None
        Whether the kernel is positive semi-definite.
    diagonal : ndarray
        k(x_i, x_i).
    accuracy : float
        How far rounding can have moved the products.
    """
    signs, upper = problem.signs, problem.upper
    alpha = problem.alpha(coef)
    squared_norm = float(coef @ products)
    scores = signs * (products + intercept)
    slack = np.maximum(0.0, 1.0 - scores)

    within_box = np.clip(alpha, 0.0, upper)
    at_upper = problem.at_upper(within_box)
    free = (within_box > 0) & ~at_upper
    least, largest = problem.intercept_interval(within_box, products)
    return Certificate(
        problem="Hard-margin classification" if problem.is_hard_margin else "Soft-margin classification (C-SVC)",
        rows=len(signs),
        primal=_primal(problem, squared_norm, scores, slack),
        dual=_dual(problem, coef, squared_norm, products, diagonal),
        violation=least - largest,
        kkt_residuals={
            "non-support": float(np.max(slack[within_box == 0], initial=0.0)),
            "free": float(np.max(np.abs(scores - 1)[free], initial=0.0)),
            "bounded": float(np.max((scores - 1)[at_upper], initial=0.0)),
        },
        feasibility_residuals={
            "box": float(np.max(np.abs(alpha - within_box) / np.maximum(1.0, np.abs(alpha)), initial=0.0)),
            "sum": abs(float(coef.sum())) / max(1.0, float(np.abs(coef).sum())),
        },
        counts={
            "non-support": int(np.sum(within_box == 0)),
            "free": int(np.sum(free)),
            "bounded": int(np.sum(at_upper)),
            "outside": int(np.sum(slack == 0)),
            "inside the margin": int(np.sum((slack > 0) & (slack <= 1))),
            "misclassified": int(np.sum(slack > 1)),
        },
        intercept_interval=(least, largest),
        margin=float(1 / np.sqrt(squared_norm)) if squared_norm > 0 else np.inf,
        convex=convex,
        accuracy=accuracy,
    )


def _primal(problem: SupportVectorClassification, squared_norm: float, scores: Floats, slack: Floats) -> float:
    if not problem.is_hard_margin:
        return 0.5 * squared_norm + float(problem.upper @ slack)
    # The machine itself misses the constraints by rounding; divided by its least score it meets them exactly.
    least = float(np.min(scores))
    return 0.5 * squared_norm / least**2 if least > 0 else np.inf


def _dual(
    problem: SupportVectorClassification,
    coef: Floats,
    squared_norm: float,
    products: Floats,
    diagonal: Floats,
) -> float:
    """A lower bound on the dual value at the feasible point nearest to the coefficients.

    With c' = c + Δ feasible, D(c') = D(c) + (t − Kc)ᵀΔ − ½ ΔᵀKΔ, and ΔᵀKΔ is at most (Σ |Δ_i| √k_ii)².
    """
    move = problem.coef(problem.feasible(problem.alpha(coef))) - coef
    at_coef = float(problem.signs @ coef) - 0.5 * squared_norm
    farthest = float(np.abs(move) @ np.sqrt(np.maximum(diagonal, 0.0)))
    return at_coef + float((problem.signs - products) @ move) - 0.5 * farthest**2
