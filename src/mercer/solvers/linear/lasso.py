"""Linear classifiers with an l1 penalty, so that many weights are zero.

Solves       min Σⱼ |wⱼ| + Σᵢ Cᵢ max(0, 1 − tᵢ f(xᵢ))²
Given        one or several problems on the same rows, and the terms
Returns      weights, with the offset's behind them, and feasible dual variables
Stops when   the duality gap is within its tolerance, or as the status says
See          cpp/src/linear/lasso

The dual is max Σᵢ cᵢ tᵢ − cᵢ² / (4 Cᵢ) with cᵢ tᵢ ≥ 0 and |Σᵢ cᵢ xᵢⱼ| ≤ 1 for every column j, that of the offset among
them; where the offset is free, Σᵢ cᵢ = 0 instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer._runtime import core
from mercer.problems import LinearProblem
from mercer.rows import LinearRows
from mercer.solvers.protocol import LinearOutcome, Terms
from mercer.solvers.status import STATUSES
from mercer.typing import Floats

__all__ = ["solve_lasso"]


def solve_lasso(
    problems: Sequence[LinearProblem],
    rows: LinearRows,
    terms: Terms,
    threads: int,
    starts: Sequence[Floats] | None = None,
) -> list[LinearOutcome]:
    """Solves problems of the squared hinge loss with an l1 penalty side by side.

    The `tol` of the terms is the duality gap asked for, as a share of the objective. `starts` are weights to begin
    from, with that of the offset column behind them, as outcomes have them for their `start`.
    """
    intercept, count = problems[0].intercept, len(rows)
    signs, bounds = np.ones((len(problems), count)), np.zeros((len(problems), count))
    for k, problem in enumerate(problems):
        assert problem.weight is not None  # of the squared loss
        signs[k, problem.rows], bounds[k, problem.rows] = problem.slope, 0.5 * problem.weight
    found = core.solve_lasso(
        *(rows.view, signs, bounds, intercept.value, intercept.is_free, terms.tol),
        *(None if starts is None else np.array(starts), terms.seconds, terms.steps, threads, terms.report),
    )
    return [
        LinearOutcome(*intercept.parted(w), coef[problem.rows], steps, STATUSES[status], w)
        for problem, (w, coef, steps, status) in zip(problems, zip(*found, strict=True), strict=True)
    ]
