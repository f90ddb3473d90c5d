"""What a tolerance means where a problem's values have no unit of their own."""

from __future__ import annotations

import numpy as np

from mercer.fits.task import Task
from mercer.rows import OutOfTime

__all__ = ["relative_tolerance"]


def relative_tolerance(task: Task) -> float:
    """The tolerance itself, or relative to the largest value that a function can have, where that is below one.

    Where there is no time to find that out, there is none to reach a tolerance either.
    """
    rows, tol = task.rows, task.tol
    least = float(task.problem.fixed_sums[0].min())
    try:
        if rows.is_hurried and least * float(np.abs(rows.subset(np.arange(1)).values()).max()) >= 1:
            return tol  # one row tells, and all others could take as long as the fit
        largest = least * float(np.abs(rows.diagonal).max())
    except OutOfTime:
        return tol
    return tol * min(1.0, largest) or tol
