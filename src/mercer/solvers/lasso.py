"""Linear classifiers with a price of the weights' absolute values, so that many weights are zero.

Solves       min Σⱼ |wⱼ| + Σᵢ Cᵢ max(0, 1 − tᵢ f(xᵢ))²
Given        the data, signs t and bounds C of one or several problems, the offset column, tolerance and limits
Returns      weights, with the offset's behind them, and feasible dual variables
Stops when   the duality gap is within its tolerance, or as the status says
See          cpp/src/linear/lasso.cpp

The dual is max Σᵢ cᵢ tᵢ − cᵢ² / (4 Cᵢ) with cᵢ tᵢ ≥ 0 and |Σᵢ cᵢ xᵢⱼ| ≤ 1 for every column j, that of the offset among
them; where the offset is free, Σᵢ cᵢ = 0 instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.solvers.result import STATUSES, Limits, Report, Status
from mercer.typing import Floats

__all__ = ["LassoResult", "solve_lasso"]


class LassoResult(NamedTuple):
    """Weights and dual variables, and how the solver ended."""

    #: One a feature; that of the offset column, if there is one, behind them.
    w: Floats
    #: One a row; feasible up to rounding.
    coef: Floats
    #: Newton's.
    steps: int
    status: Status


def solve_lasso(
    data: core.Data,
    signs: Floats,
    bounds: Floats,
    offset: float,
    free_offset: bool,
    gap_tol: float,
    limits: Limits,
    threads: int,
    starts: Sequence[Floats] | None = None,
    report: Report | None = None,
) -> list[LassoResult]:
    """Solves independent problems side by side.

    Parameters
    ----------
    signs : array of +1 and −1, problems by rows
        The sides of the rows.
    bounds : array of floats, problems by rows
        C of each row; rows with zero do not count.
    offset : float
        The value of the offset column; zero for none.
    free_offset : bool
        Whether the offset's weight costs nothing, or as much as the others.
    gap_tol : float
        The duality gap asked for, as a share of the objective.
    starts : arrays like `w` of the results, optional
        Weights to begin from.
    """
    first = None if starts is None else np.array(starts)
    found = core.solve_lasso(
        data, signs, bounds, offset, free_offset, gap_tol, first, limits.seconds, limits.steps, threads, report
    )
    return [LassoResult(w, coef, steps, STATUSES[status]) for w, coef, steps, status in zip(*found, strict=True)]
