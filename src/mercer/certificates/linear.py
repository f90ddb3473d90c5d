"""Certificates of linear machines: from the weights, the dual variables and the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mercer._runtime import core
from mercer.certificates.certificate import Certificate
from mercer.machines import linear_values
from mercer.problems import CrammerSingerProblem, LinearProblem, Penalty
from mercer.rows import LinearRows
from mercer.typing import Floats

__all__ = ["certify_crammer_singer", "certify_linear"]

_EPS = float(np.finfo(np.float64).eps)
_ROWS_AT_ONCE = 8192


def certify_linear(
    problem: LinearProblem,
    rows: LinearRows,
    weights: Floats,
    intercept: float,
    coef: Floats,
    threads: int,
    precise: tuple[Floats, float] | None = None,
    pulls: Floats | None = None,
) -> Certificate:
    """The certificate of wᵀx + intercept, with the dual taken at the feasible point next to `coef`.

    Parameters
    ----------
    problem : LinearProblem
        The losses.
    rows : LinearRows
        All training rows.
    weights, intercept
        The machine.
    coef : ndarray
        One dual variable for each row of the problem.
    precise : (ndarray, float), optional
        Σ c_i x_i and Σ c_i of feasible dual variables that have more digits than `coef`.
    pulls : ndarray, optional
        slope − f(x) of each row, rounded once: with a large C the rounding of f is costly.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is no number in the certificate, and fails
        feasible = problem.feasible(coef, problem.intercept.is_free and precise is None)
        of_offset, norms = problem.intercept.penalised_value, rows.norms
        chosen = None if len(problem.rows) == len(norms) else problem.rows
        values, sums = core.linear_products(rows.view, chosen, weights, feasible, threads)
        values += intercept
        sums, total = (sums, float(feasible.sum())) if precise is None else precise
        offset_sum = of_offset * total
        if problem.penalty is Penalty.ABSOLUTE:
            share = 1 / max(1.0, float(np.abs(sums).max()), abs(offset_sum))
            feasible, sums, offset_sum = share * feasible, share * sums, share * offset_sum
        tally = _Tally()
        if len(feasible) <= _ROWS_AT_ONCE:
            tally.take(problem, feasible, values)
        else:
            for first in range(0, len(feasible), _ROWS_AT_ONCE):
                part = slice(first, first + _ROWS_AT_ONCE)
                tally.take(problem.part(part), feasible[part], values[part])
        if problem.penalty is Penalty.ABSOLUTE:
            used = weights != 0
            tally.residuals["weights"] = float((1 - np.sign(weights[used]) * sums[used]).max(initial=0.0))
        offset_weight = float(np.float64(intercept) / of_offset) if of_offset else 0.0
        norm, largest = _norm(weights), float((norms if chosen is None else norms[chosen]).max())
        size = float(np.hypot(norm, offset_weight)) * largest
        losses = tally.losses if pulls is None else _losses_at(problem, pulls)
        return Certificate(
            problem=problem.name,
            rows=len(problem.rows),
            primal=problem.penalty_of(weights, offset_weight) + losses,
            dual=tally.gains - problem.dual_penalty(sums, offset_sum),
            violation=tally.violation,
            kkt_residuals=tally.residuals,
            feasibility_residuals={"box": 0.0, "sum": 0.0},  # of the point at which the dual was taken
            counts=tally.counts,
            intercept_interval=(float(intercept), float(intercept)),
            margin=1 / norm if problem.is_classification and norm > 0 else None,
            convex=True,
            accuracy=_EPS * (len(weights) ** 0.5 + 8) * (size + float(np.abs(problem.slope).max())),
        )


def _losses_at(problem: LinearProblem, pulls: Floats) -> float:
    """What all rows cost, given slope − f(x) of each."""
    return float(replace(problem, slope=pulls).losses(np.zeros_like(pulls)).sum())


class _Tally:
    """What the rows add to a certificate, taken part by part while their numbers are in the caches."""

    def __init__(self) -> None:
        self.losses = self.gains = self.violation = 0.0
        self.residuals: dict[str, float] = {}
        self.counts: dict[str, int] = {}

    def take(self, problem: LinearProblem, coef: Floats, values: Floats) -> None:
        residuals, kinds = problem.residuals(coef, values), problem.kinds(coef)
        self.losses += float(problem.losses(values).sum())
        self.gains += float(problem.gains(coef).sum())
        self.violation = float(np.maximum(self.violation, residuals.max()))  # NaN stays NaN
        for name, mask in kinds.items():
            worst = residuals[mask].max(initial=self.residuals.get(name, 0.0))
            self.residuals[name] = float(worst)
        for name, mask in {**kinds, **problem.places(values)}.items():
            self.counts[name] = self.counts.get(name, 0) + int(np.count_nonzero(mask))


def certify_crammer_singer(
    problem: CrammerSingerProblem,
    rows: LinearRows,
    weights: Floats,
    intercept: Floats,
    coef: Floats,
    threads: int,
    precise: tuple[Floats, Floats] | None = None,
) -> Certificate:
    """The certificate of wₘᵀx + interceptₘ for all classes m; parameters as in `certify_linear`.

    Of dual variables with more digits, `precise` has a sum of the rows and one of the variables for each class.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        feasible = problem.feasible(coef) if precise is None else coef
        of_offset = problem.intercept.value
        by_class = [np.ascontiguousarray(column) for column in feasible.T]
        if precise is None:
            sums = np.array([core.linear_sums(rows.view, problem.rows, column, threads) for column in by_class])
            totals = feasible.sum(axis=0)
        else:
            sums, totals = precise
        offset_sums = of_offset * totals
        values = linear_values(rows.view, problem.rows, weights, intercept, threads)
        offset_weights = intercept / of_offset if of_offset else np.zeros_like(intercept)
        residuals, kinds = problem.residuals(feasible, values), problem.kinds(feasible)
        size = float(np.hypot(np.linalg.norm(weights, axis=1), offset_weights).max()) * float(
            rows.norms[problem.rows].max()
        )
        own_norm = _norm(weights) ** 2 + _norm(offset_weights) ** 2
        return Certificate(
            problem=problem.name,
            rows=len(problem.rows),
            primal=0.5 * own_norm + float(problem.losses(values).sum()),
            dual=problem.dual(feasible, _norm(sums) ** 2 + _norm(offset_sums) ** 2),
            violation=float(residuals.max()),
            kkt_residuals={name: float(residuals[mask].max(initial=0.0)) for name, mask in kinds.items()},
            feasibility_residuals={"box": 0.0, "sum": 0.0},
            counts={name: int(mask.sum()) for name, mask in {**kinds, **problem.places(values)}.items()},
            intercept_interval=(float(intercept.min()), float(intercept.max())),
            margin=None,
            convex=True,
            accuracy=_EPS * (weights.shape[1] ** 0.5 + 8) * (size + 1.0),
        )


def _norm(values: Floats) -> float:
    """‖values‖, without the threads of a BLAS, which take longer to wake than this takes."""
    return float(np.sqrt(np.square(values).sum()))
