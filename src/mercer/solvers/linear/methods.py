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
from mercer.costs import FACTORING, GRAM_SUMS, STEPPING, STREAMING
from mercer.problems import CrammerSingerProblem, Intercept, LinearProblem, Penalty
from mercer.rows import LinearRows
from mercer.solvers.linear.crammer_singer import solve_crammer_singer
from mercer.solvers.linear.lasso import solve_lasso
from mercer.solvers.protocol import LinearOutcome, Terms
from mercer.solvers.status import STATUSES
from mercer.typing import Floats

__all__ = [
    "LinearMethod",
    "LinearPlan",
    "MOST_FACTORED",
    "newton_seconds",
    "plan_linear",
    "solve_linear",
]

# Newton steps, products XᵀX, and passes over the rows that a fit takes, about.
_NEWTON_STEPS = 30
_GRAMS = 4
_PASSES = 150
# With more columns than so many a row, Newton's matrix has a low rank, which conjugate gradients find sooner; unless
# they are so few that factoring takes no time.
_COLUMNS_PER_ROW = 0.5
_FEW_COLUMNS = 100
#: A matrix of 1024 columns takes 8 MB; beyond, Newton's systems are solved by conjugate gradients.
MOST_FACTORED = 1024


class LinearMethod(Enum):
    """How linear machines are found."""

    NEWTON = "the method of multipliers with Newton's steps, factored"
    NEWTON_CG = "the method of multipliers with Newton's steps by conjugate gradients"
    COORDINATES = "dual coordinate descent"
    LASSO = "Newton's steps on the columns that matter"
    CRAMMER_SINGER = "dual coordinate descent over rows, all classes of a row at once"


class LinearPlan(NamedTuple):
    """The method, and why."""

    method: LinearMethod
    reason: str

    @property
    def starts_from(self) -> str:
        """What the method begins from."""
        of = {LinearMethod.LASSO: "weights", LinearMethod.CRAMMER_SINGER: "dual variables of all classes"}
        return of.get(self.method, "dual variables")

    def __str__(self) -> str:
        return f"Weights are found by {self.method.value}: {self.reason}."


def newton_seconds(rows: int, columns: int, stored_per_row: float) -> float:
    """What factored Newton steps take, about."""
    pairs = min(columns**2, 4 * stored_per_row**2)
    steps = _NEWTON_STEPS * (columns**3 / 3 / FACTORING + rows * stored_per_row / STREAMING)
    return steps + _GRAMS * rows * pairs / GRAM_SUMS


def plan_linear(X: Any, problem: LinearProblem | CrammerSingerProblem, solver: str = "auto") -> LinearPlan:
    """Chooses the method by the shape of the data.

    `solver`, "newton" or "coordinate-descent" instead of "auto", asks for one where the problem leaves a choice.
    """
    intercept = problem.intercept.kind
    if isinstance(problem, CrammerSingerProblem):
        return LinearPlan(LinearMethod.CRAMMER_SINGER, "it is one problem for all classes")
    if problem.penalty is Penalty.ABSOLUTE:
        return LinearPlan(LinearMethod.LASSO, "a penalty on absolute values makes most weights zero")
    n, d = X.shape
    columns = d + (intercept is not Intercept.NONE)
    stored = X.nnz if sp.issparse(X) else X.size
    per_row = stored / n
    shape = f"{n} rows of {d} features" + (f", of which {per_row:.0f} are stored" if sp.issparse(X) else "")
    most = min(MOST_FACTORED, max(_FEW_COLUMNS, _COLUMNS_PER_ROW * n))
    newton = LinearMethod.NEWTON if columns <= most else LinearMethod.NEWTON_CG
    if intercept is Intercept.FREE:
        return LinearPlan(newton, f"a free intercept ties the dual variables together ({shape})")
    if solver != "auto":
        by_coordinates = solver == "coordinate-descent"
        return LinearPlan(LinearMethod.COORDINATES if by_coordinates else newton, f"{solver=} asks for it ({shape})")
    by_newton = newton_seconds(n, columns, per_row)
    by_passes = _PASSES * stored / STEPPING
    estimate = f"about {by_newton:.2g} s by factoring and {by_passes:.2g} s by coordinates, for {shape}"
    if newton is LinearMethod.NEWTON and by_newton <= by_passes:
        return LinearPlan(LinearMethod.NEWTON, estimate)
    return LinearPlan(LinearMethod.COORDINATES, estimate)


def solve_linear(
    problems: Sequence[Any],
    plan: LinearPlan,
    rows: LinearRows,
    terms: Terms,
    threads: int,
    seed: int = 0,
    starts: Sequence[Floats] | None = None,
) -> list[LinearOutcome]:
    """Solves problems of one kind side by side, from the `start` of earlier outcomes where these are given.

    The `tol` of the terms is the relative gap that is asked for.
    """
    if plan.method is LinearMethod.CRAMMER_SINGER:
        begin = [None] * len(problems) if starts is None else starts
        pairs = zip(problems, begin, strict=True)
        return [solve_crammer_singer(problem, rows, terms, threads, seed, first) for problem, first in pairs]
    if plan.method is LinearMethod.LASSO:
        return solve_lasso(problems, rows, terms, threads, starts)
    return _with_l2_penalty(problems, plan, rows, terms, threads, seed, starts)


def _with_l2_penalty(
    problems: Sequence[LinearProblem],
    plan: LinearPlan,
    rows: LinearRows,
    terms: Terms,
    threads: int,
    seed: int,
    starts: Sequence[Floats] | None,
) -> list[LinearOutcome]:
    intercept = problems[0].intercept
    tasks = [
        core.LinearTask(
            rows=None if len(problem.rows) == len(rows) else problem.rows,
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
        rows.view,
        tasks,
        offsets=int(intercept.kind is not Intercept.NONE),
        offset=intercept.scaling,
        free_offsets=intercept.is_free,
        method=(
            core.LinearMethod.COORDINATES if plan.method is LinearMethod.COORDINATES else core.LinearMethod.MULTIPLIERS
        ),
        gap_tol=terms.tol,
        tol=np.inf,
        most_factored=0 if plan.method is LinearMethod.NEWTON_CG else MOST_FACTORED,
        seed=seed,
        seconds=terms.seconds,
        max_steps=terms.steps,
        threads=threads,
        report=terms.report,
    )
    return [
        LinearOutcome(*intercept.parted(found.w), found.coef, found.steps, STATUSES[found.status], found.coef)
        for found in solutions
    ]
