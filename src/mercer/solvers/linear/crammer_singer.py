"""Linear classifiers of several classes at once, after Crammer and Singer.

Solves       min ½ Σₘ ‖wₘ‖² + Σᵢ Cᵢ maxₘ (eᵢₘ + fₘ(xᵢ) − f_y(xᵢ)), where eᵢₘ is 0 for the class y of the row and else 1
Given        the data, labels, bounds C, the offset column, tolerance, limits and a seed
Returns      weights of all classes, and the dual variables they are made of
Stops when   the duality gap is within its tolerance, or as the status says
See          cpp/src/linear/crammer_singer.cpp

The dual is max −½ Σₘ ‖wₘ‖² − Σᵢₘ eᵢₘ αᵢₘ with wₘ = Σᵢ αᵢₘ xᵢ, where Σₘ αᵢₘ = 0, and αᵢₘ is at most Cᵢ for the class of
the row and at most 0 for the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer._runtime import core
from mercer.solvers.protocol import Terms
from mercer.solvers.status import STATUSES, Status
from mercer.typing import Floats

__all__ = ["CrammerSingerResult", "solve_crammer_singer"]


class CrammerSingerResult(NamedTuple):
    """Weights and dual variables, and how the solver ended."""

    #: Classes by columns; that of the offset, if there is one, behind the features.
    W: Floats
    #: Rows by classes.
    alpha: Floats
    #: Passes over the rows.
    steps: int
    status: Status


def solve_crammer_singer(
    data: core.Data,
    labels: NDArray[np.int32],
    classes: int,
    bounds: Floats,
    offset: float,
    terms: Terms,
    threads: int,
    seed: int = 0,
    start: Floats | None = None,
) -> CrammerSingerResult:
    """Solves one problem; the same seed gives the same bits.

    Parameters
    ----------
    labels : array of int32
        The classes of the rows, from 0 to `classes` − 1.
    bounds : array of floats
        C of each row; rows with zero do not count.
    offset : float
        The value of the offset column, whose weights are penalised like the others; zero for none.
    terms : Terms
        Their `tol` is the duality gap asked for, as a share of the objective.
    start : array like `alpha` of the result, optional
        Dual variables to begin from.
    """
    W, alpha, steps, status = core.solve_crammer_singer(
        data, labels, classes, bounds, offset, terms.tol, start, seed, terms.seconds, terms.steps, threads, terms.report
    )
    return CrammerSingerResult(W, alpha, steps, STATUSES[status])
