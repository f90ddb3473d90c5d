"""The certificates of machines, the same for every problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mercer.certificates.certificate import Certificate
from mercer.certificates.precise import PreciseValues
from mercer.problems import DualProblem
from mercer.typing import Booleans, Floats

__all__ = ["certify_machines", "certify_precise_machines", "kinds_of_rows"]


def certify_machines(
    problem: DualProblem,
    coef: Floats,
    offsets: Floats,
    products: Floats,
    error: float,
    convex: bool | None,
    diagonal: Floats,
    accuracy: Floats,
) -> list[Certificate]:
    """The certificates of machines Σ coef_j k(x_j, ·) + offset, one for each group of the problem.

    Parameters
    ----------
    problem : DualProblem
        Slopes and bounds of the rows.
    coef, offsets : ndarray
        The machines: one coefficient a row, zero where it is not a support vector; one offset a sum and group.
    products : ndarray
        Σ_j coef_j k(x_j, x_i) over the rows j of i's group, for every row i, in float64 where it decides.
    error : float
        How far off the other products may be: the objectives allow for it.
    convex : bool or None
        Whether the kernel is positive semi-definite.
    diagonal : ndarray
        k(x_i, x_i).
    accuracy : ndarray
        How far rounding can have moved the products, one value a group.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is no number in the certificate, and fails
        norm = problem.groups.sum(coef * products)
        values = PreciseValues(products, norm, products, norm, accuracy)
        return _certified(problem, coef, offsets, values, error, convex, diagonal)


def certify_precise_machines(
    problem: DualProblem,
    coef: Floats,
    offsets: Floats,
    values: PreciseValues,
    convex: bool | None,
    diagonal: Floats,
) -> list[Certificate]:
    """The same from sums that were rounded once."""
    with np.errstate(over="ignore", invalid="ignore"):
        certificates = _certified(problem, coef, offsets, values, 0.0, convex, diagonal)
        if problem.unit != 0:
            return certificates
        scales = problem.groups.max(np.abs(values.machine))
        return [replace(one, scale=float(scale)) for one, scale in zip(certificates, scales, strict=True)]


def _certified(
    problem: DualProblem,
    coef: Floats,
    offsets: Floats,
    values: PreciseValues,
    error: float,
    convex: bool | None,
    diagonal: Floats,
) -> list[Certificate]:
    groups = problem.groups
    squared_norm, products, accuracy = values.machine_norm, values.machine, values.accuracy
    inside = np.clip(coef, problem.lower, problem.upper)
    outside_box = np.abs(coef - inside) / np.maximum(1.0, np.abs(coef))
    size = np.maximum(1.0, groups.sum(np.abs(coef)))
    imbalance = np.abs(problem.sums(coef) - problem.fixed_sums).max(axis=0) / size

    sides = problem.sides(inside, products)
    allowed = problem.offsets(sides)
    residual = np.zeros(len(coef))
    for k, (up, low) in enumerate(zip(sides.up, sides.low, strict=True)):
        offset = groups.spread(offsets[k])
        residual = np.maximum(residual, np.where(up, sides.gain_up - offset, 0.0))
        residual = np.maximum(residual, np.where(low, offset - sides.gain_low, 0.0))

    primal = problem.primal(squared_norm, products, offsets)
    dual = problem.dual(coef, values.coef_norm, values.products, diagonal)
    slack = problem.slack(products, offsets)
    if error > 0:
        of_norm = 0.5 * error * groups.sum(np.abs(coef))
        bounds = np.maximum(problem.upper, -problem.lower)
        primal, dual = primal + of_norm + error * groups.sum(np.where(slack > 0, bounds, 0.0)), dual - of_norm
    with np.errstate(divide="ignore"):
        margin = problem.margin(np.sqrt(np.maximum(squared_norm, 0.0)), offsets)
    limits = problem.intercept(allowed.least), problem.intercept(allowed.largest)
    least, largest = np.minimum(*limits), np.maximum(*limits)  # off the optimum they cross, by the violation
    kinds = kinds_of_rows(inside, sides.free)
    kkt = {name: groups.max(residual, mask, 0.0) for name, mask in kinds.items()}
    feasibility = {"box": groups.max(outside_box), "sum": imbalance}
    places = problem.places(slack, offsets)
    counts = {name: groups.count(mask) for name, mask in {**kinds, **places}.items()}
    return [
        Certificate(
            problem=problem.name,
            rows=int(groups.sizes[k]),
            kkt_residuals={name: float(values[k]) for name, values in kkt.items()},
            feasibility_residuals={name: float(values[k]) for name, values in feasibility.items()},
            counts={name: int(values[k]) for name, values in counts.items()},
            intercept_interval=(float(least[k]), float(largest[k])),
            convex=convex,
            primal=float(primal[k]),
            dual=float(dual[k]),
            violation=float(allowed.violation[k]),
            margin=None if margin is None else float(margin[k]),
            accuracy=float(accuracy[k]),
        )
        for k in range(len(groups))
    ]


def kinds_of_rows(coef: Floats, free: tuple[Booleans, ...]) -> dict[str, Booleans]:
    """Rows by what their coefficient is: zero, at a bound, or between."""
    zero = coef == 0
    between = np.logical_or.reduce(free) & ~zero
    return {"non-support": zero, "free": between, "bounded": ~zero & ~between}
