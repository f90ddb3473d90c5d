"""Certificates of linear machines: from the weights, the dual variables and the data."""

from __future__ import annotations

import numpy as np

from mercer._runtime import core
from mercer.certificates.certificate import Certificate
from mercer.problems import Intercept, LinearProblem
from mercer.typing import Floats

__all__ = ["certify_linear"]

_EPS = float(np.finfo(np.float64).eps)


def certify_linear(
    problem: LinearProblem,
    data: core.Data,
    norms: Floats,
    weights: Floats,
    intercept: float,
    scaling: float,
    kind: Intercept,
    coef: Floats,
    threads: int,
) -> Certificate:
    """The certificate of wᵀx + intercept, with the dual taken at the feasible point next to `coef`.

    Parameters
    ----------
    problem : LinearProblem
        The losses.
    data, norms
        All training rows, and their norms ‖x‖.
    weights, intercept, scaling, kind
        The machine; a regularised intercept is `scaling` times a weight.
    coef : ndarray
        One dual variable for each row of the problem.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is no number in the certificate, and fails
        feasible = problem.feasible(coef, kind is Intercept.FREE)
        of_offset = scaling if kind is Intercept.REGULARIZED else 0.0
        sums = core.linear_sums(data, problem.rows, feasible, threads)
        squared_norm = _square(sums) + float(np.square(of_offset * feasible.sum()))
        values = core.linear_values(data, problem.rows, weights, threads) + intercept
        of_weights = _square(weights)
        own_norm = of_weights + (float(np.square(np.float64(intercept / of_offset))) if of_offset else 0.0)
        residuals = problem.residuals(feasible, values)
        kinds, norm = problem.kinds(feasible), of_weights**0.5
        size = float(np.sqrt(own_norm)) * float(norms[problem.rows].max())
        return Certificate(
            problem=problem.name,
            rows=len(problem.rows),
            primal=0.5 * own_norm + float(problem.losses(values).sum()),
            dual=problem.dual(feasible, squared_norm),
            violation=float(residuals.max()),
            kkt_residuals={name: float(residuals[mask].max(initial=0.0)) for name, mask in kinds.items()},
            feasibility_residuals={"box": 0.0, "sum": 0.0},  # of the point at which the dual was taken
            counts={name: int(mask.sum()) for name, mask in {**kinds, **problem.places(values)}.items()},
            intercept_interval=(intercept, intercept),
            margin=1 / norm if problem.is_classification and norm > 0 else None,
            convex=True,
            accuracy=_EPS * (len(weights) ** 0.5 + 8) * (size + float(np.abs(problem.slope).max())),
        )


def _square(values: Floats) -> float:
    """‖values‖², without the threads of a BLAS, which take longer to wake than this takes."""
    return float(np.square(values).sum())
