"""The active-set method on the dual, from no multipliers at all.

Solves       the dual of C-SVC
Given        K, t, C, a tolerance
Returns      multipliers, exact up to rounding
Stops when   no multiplier at a bound wants to leave it by more than the tolerance
See          docs/lectures/active_set.md; mercer/solvers/dual/active_set.py, which has the method
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.problems import SupportVectorClassification
from mercer.solvers.dual.active_set import StoredValues, solve_active_set
from mercer.solvers.lectures.dual import Found, SmallDual
from mercer.solvers.lectures.method import Method
from mercer.solvers.lectures.pace import Ended, Pace
from mercer.typing import Floats

__all__ = ["ActiveSet"]


@dataclass(frozen=True)
class ActiveSet(Method):
    """Has no parameters of its own."""

    name = "active-set"

    def run(self, dual: SmallDual, tol: float, start: Floats, pace: Pace, random: np.random.RandomState) -> Found:
        problem = SupportVectorClassification.several([dual.t], dual.C)
        latest = start

        def exchanged(kind: str, before: Floats, after: Floats) -> None:
            nonlocal latest
            latest = np.abs(after)
            changed = np.flatnonzero(before != after)
            if len(changed):
                pace.record(kind, changed, np.abs(before[changed]), latest)
            pace.step()

        try:
            found = solve_active_set(problem, StoredValues(dual.K), start * dual.t, tol, exchanged)
        except Ended as ended:
            return Found(latest, pace.count, ended.status)
        return Found(np.abs(found.coef), pace.count, found.status)
