"""Linear classifiers with an l1 penalty, so that many weights are zero.

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
from mercer.solvers.protocol import Terms
from mercer.solvers.status import STATUSES, Status
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
    terms: Terms,
    threads: int,
    starts: Sequence[Floats] | None = None,
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
    terms : Terms
        Their `tol` is the duality gap asked for, as a share of the objective.
    starts : arrays like `w` of the results, optional
        Weights to begin from.
    """
    first = None if starts is None else np.array(starts)
    found = core.solve_lasso(
        data, signs, bounds, offset, free_offset, terms.tol, first, terms.seconds, terms.steps, threads, terms.report
    )
    return [LassoResult(w, coef, steps, STATUSES[status]) for w, coef, steps, status in zip(*found, strict=True)]
