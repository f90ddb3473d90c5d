"""The certificate of C-SVC and of the hard margin."""

from __future__ import annotations

import numpy as np

from mercer.certificates.certificate import Certificate
from mercer.problems import SupportVectorClassification
from mercer.typing import Booleans, Floats

__all__ = ["certify_classification"]


def certify_classification(
    problem: SupportVectorClassification,
    coef: Floats,
    intercept: Floats,
    products: Floats,
    convex: bool | None,
    diagonal: Floats,
    accuracy: Floats,
) -> list[Certificate]:
    """The certificates of machines Σ coef_j k(x_j, ·) + intercept, one for each group of the problem.

    Parameters
    ----------
    problem : SupportVectorClassification
        Signs and bounds of the rows.
    coef, intercept : ndarray
        The machines: one coefficient a row, zero where it is not a support vector; one intercept a group.
    products : ndarray
        Σ_j coef_j k(x_j, x_i) over the rows j of i's group, for every row i, in float64 where it decides.
    convex : bool or None
        Whether the kernel is positive semi-definite.
    diagonal : ndarray
        k(x_i, x_i).
    accuracy : ndarray
        How far rounding can have moved the products, one value a group.
    """
    groups = problem.groups
    alpha = problem.alpha(coef)
    squared_norm = groups.sum(coef * products)
    scores = problem.signs * (products + groups.spread(intercept))
    slack = np.maximum(0.0, 1.0 - scores)

    within_box = np.clip(alpha, 0.0, problem.upper)
    outside_box = np.abs(alpha - within_box) / np.maximum(1.0, np.abs(alpha))
    imbalance = np.abs(groups.sum(coef)) / np.maximum(1.0, groups.sum(np.abs(coef)))
    at_upper, at_zero = problem.at_upper(within_box), within_box == 0
    free = ~at_zero & ~at_upper
    allowed = problem.intercepts(within_box, products)
    with np.errstate(divide="ignore"):
        margin = 1 / np.sqrt(np.maximum(squared_norm, 0.0))

    primal = _primal(problem, squared_norm, scores, slack)
    dual = _dual(problem, coef, squared_norm, products, diagonal)
    kkt = {
        "non-support": groups.max(slack, at_zero, 0.0),
        "free": groups.max(np.abs(scores - 1), free, 0.0),
        "bounded": groups.max(np.maximum(scores - 1, 0.0), at_upper, 0.0),
    }
    feasibility = {"box": groups.max(outside_box), "sum": imbalance}
    masks: dict[str, Booleans] = {
        "non-support": at_zero,
        "free": free,
        "bounded": at_upper,
        "outside": slack == 0,
        "inside the margin": (slack > 0) & (slack <= 1),
        "misclassified": slack > 1,
    }
    counts = {name: groups.count(mask) for name, mask in masks.items()}
    return [
        Certificate(
            problem="Hard-margin classification" if problem.is_hard_margin else "Soft-margin classification (C-SVC)",
            rows=int(groups.sizes[k]),
            kkt_residuals={name: float(values[k]) for name, values in kkt.items()},
            feasibility_residuals={name: float(values[k]) for name, values in feasibility.items()},
            counts={name: int(values[k]) for name, values in counts.items()},
            intercept_interval=(float(allowed.least[k]), float(allowed.largest[k])),
            convex=convex,
            primal=float(primal[k]),
            dual=float(dual[k]),
            violation=float(allowed.least[k] - allowed.largest[k]),
            margin=float(margin[k]),
            accuracy=float(accuracy[k]),
        )
        for k in range(len(groups))
    ]


def _primal(problem: SupportVectorClassification, squared_norm: Floats, scores: Floats, slack: Floats) -> Floats:
    if not problem.is_hard_margin:
        return 0.5 * squared_norm + problem.groups.sum(problem.upper * slack)
    # The machine itself misses the constraints by rounding; divided by its least score it meets them exactly.
    least = problem.groups.min(scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(least > 0, 0.5 * squared_norm / least**2, np.inf)


def _dual(
    problem: SupportVectorClassification, coef: Floats, squared_norm: Floats, products: Floats, diagonal: Floats
) -> Floats:
    """A lower bound on the dual value at the feasible point nearest to the coefficients.

    With c' = c + Δ feasible, D(c') = D(c) + (t − Kc)ᵀΔ − ½ ΔᵀKΔ, and ΔᵀKΔ is at most (Σ |Δ_i| √k_ii)².
    """
    groups = problem.groups
    move = problem.coef(problem.feasible(problem.alpha(coef))) - coef
    at_coef = groups.sum(problem.signs * coef) - 0.5 * squared_norm
    farthest = groups.sum(np.abs(move) * np.sqrt(np.maximum(diagonal, 0.0)))
    return at_coef + groups.sum((problem.signs - products) * move) - 0.5 * farthest**2
