"""Linear classifiers of several classes at once, after Crammer and Singer.

Solves       min ½ Σₘ ‖wₘ‖² + Σᵢ Cᵢ maxₘ (eᵢₘ + fₘ(xᵢ) − f_y(xᵢ)), where eᵢₘ is 0 for the class y of the row and else 1
Given        a problem on rows, the terms and a seed
Returns      weights of all classes, and the dual variables they are made of
Stops when   the duality gap is within its tolerance, or as the status says
See          cpp/src/linear/crammer_singer

The dual is max −½ Σₘ ‖wₘ‖² − Σᵢₘ eᵢₘ αᵢₘ with wₘ = Σᵢ αᵢₘ xᵢ, where Σₘ αᵢₘ = 0, and αᵢₘ is at most Cᵢ for the class of
the row and at most 0 for the others.
"""

from __future__ import annotations

import numpy as np

from mercer._runtime import core
from mercer.problems import CrammerSingerProblem
from mercer.rows import LinearRows
from mercer.solvers.protocol import LinearOutcome, Terms
from mercer.solvers.status import STATUSES
from mercer.typing import Floats

__all__ = ["solve_crammer_singer"]


def solve_crammer_singer(
    problem: CrammerSingerProblem,
    rows: LinearRows,
    terms: Terms,
    threads: int,
    seed: int = 0,
    start: Floats | None = None,
) -> LinearOutcome:
    """Solves one problem; the same seed gives the same bits.

    The `tol` of the terms is the duality gap asked for, as a share of the objective. `start` has dual variables to
    begin from, rows of the data by classes, as outcomes have them for their `start`.
    """
    labels, bounds = np.zeros(len(rows), np.int32), np.zeros(len(rows))
    labels[problem.rows], bounds[problem.rows] = problem.labels, problem.bounds
    W, alpha, steps, status = core.solve_crammer_singer(
        *(rows.view, labels, problem.classes, bounds, problem.intercept.value, terms.tol),
        *(start, seed, terms.seconds, terms.steps, threads, terms.report),
    )
    coef = np.ascontiguousarray(alpha[problem.rows])
    return LinearOutcome(*problem.intercept.parted(W), coef, steps, STATUSES[status], alpha)
