"""Linear machines: which method suits the shape of the data, and what it finds.

Solves       linear problems on the same data, one a class
Given        the data, the intercept, tolerances and limits
Returns      the weights, with the intercept's behind them, and dual variables
Stops when   the duality gap is within its tolerance, or as the status says
See          docs/concepts/linear.md
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mercer._runtime import core
from mercer.problems import Intercept, LinearProblem
from mercer.solvers.result import STATUSES, Limits, Report, Status
from mercer.typing import Floats

__all__ = [
    "LinearMethod",
    "LinearPlan",
    "LinearResult",
    "MOST_FACTORED",
    "newton_seconds",
    "plan_linear",
    "solve_linear",
]

# What the model of costs rests on, measured on two cores: Newton steps and passes that a fit takes, about, and the
# operations a second of a factorisation, of a Gram matrix, of products with weights, and of steps in one coordinate.
_NEWTON_STEPS = 30
_PASSES = 150
_GRAMS = 4
_FACTORING = 8e9
_SUMMING = 15e9
_STREAMING = 1e9
_STEPPING = 0.5e9
#: A matrix of 1024 columns takes 8 MB; beyond, Newton's systems are solved by conjugate gradients.
MOST_FACTORED = 1024


class LinearMethod(Enum):
    """How linear machines are found."""

    NEWTON = "the method of multipliers with Newton's steps, factored"
    NEWTON_CG = "the method of multipliers with Newton's steps by conjugate gradients"
    COORDINATES = "dual coordinate descent"


class LinearPlan(NamedTuple):
    """The method, and why."""

    method: LinearMethod
    reason: str

    def __str__(self) -> str:
        return f"Weights are found by {self.method.value}: {self.reason}."


class LinearResult(NamedTuple):
    """Weights and intercept of one problem, its dual variables, and how it ended."""

    weights: Floats
    intercept: float
    coef: Floats
    steps: int
    status: Status


def newton_seconds(rows: int, columns: int, stored_a_row: float) -> float:
    """What factored Newton steps take, about."""
    pairs = min(columns**2, 4 * stored_a_row**2)
    steps = _NEWTON_STEPS * (columns**3 / 3 / _FACTORING + rows * stored_a_row / _STREAMING)
    return steps + _GRAMS * rows * pairs / _SUMMING


def plan_linear(X: Any, problems: int, intercept: Intercept, dual: bool | None = None) -> LinearPlan:
    """Chooses the method by the shape of the data; `dual` asks for coordinate descent or rules it out."""
    n, d = X.shape
    columns = d + (intercept is not Intercept.NONE)
    stored = X.nnz if sp.issparse(X) else X.size
    a_row = stored / n
    shape = f"{n} rows of {d} features" + (f", of which {a_row:.0f} are stored" if sp.issparse(X) else "")
    newton = LinearMethod.NEWTON if columns <= MOST_FACTORED else LinearMethod.NEWTON_CG
    if intercept is Intercept.FREE:
        return LinearPlan(newton, f"a free intercept ties the dual variables together ({shape})")
    if dual is not None:
        asked = f"dual={dual} asks for it ({shape})"
        return LinearPlan(LinearMethod.COORDINATES if dual else newton, asked)
    by_newton = newton_seconds(n, columns, a_row)
    by_coordinates = _PASSES * stored / _STEPPING
    estimate = f"about {by_newton:.2g} s by factoring and {by_coordinates:.2g} s by coordinates, for {shape}"
    if newton is LinearMethod.NEWTON and by_newton <= by_coordinates:
        return LinearPlan(LinearMethod.NEWTON, estimate)
    return LinearPlan(LinearMethod.COORDINATES, estimate)


def solve_linear(
    problems: Sequence[LinearProblem],
    data: core.Data,
    plan: LinearPlan,
    intercept: Intercept,
    scaling: float,
    gap_tol: float,
    limits: Limits,
    threads: int,
    seed: int = 0,
    starts: Sequence[Floats] | None = None,
    report: Report | None = None,
) -> list[LinearResult]:
    """Solves the problems side by side, from dual variables of like ones where these are given."""
    tasks = [
        core.LinearTask(
            rows=problem.rows,
            slope=problem.slope,
            lower=problem.lower,
            upper=problem.upper,
            kink=np.full(len(problem.slope), problem.kink) if problem.kink else None,
            weight=problem.weight,
            start=None if starts is None else starts[k],
            side=None,
            unit=problem.unit,
            first_sum=0.0,
            second_sum=0.0,
        )
        for k, problem in enumerate(problems)
    ]
    solutions = core.solve_linear(
        data,
        tasks,
        offsets=int(intercept is not Intercept.NONE),
        offset=scaling,
        free_offsets=intercept is Intercept.FREE,
        method=(
            core.LinearMethod.COORDINATES if plan.method is LinearMethod.COORDINATES else core.LinearMethod.MULTIPLIERS
        ),
        gap_tol=gap_tol,
        tol=np.inf,
        most_factored=MOST_FACTORED,
        seed=seed,
        seconds=limits.seconds,
        max_steps=limits.steps,
        threads=threads,
        report=report,
    )
    results = []
    for solution in solutions:
        weights, offset = solution.w, 0.0
        if intercept is not Intercept.NONE:
            weights, offset = weights[:-1], scaling * float(weights[-1])
        results.append(LinearResult(weights, offset, solution.coef, solution.steps, STATUSES[solution.status]))
    return results
