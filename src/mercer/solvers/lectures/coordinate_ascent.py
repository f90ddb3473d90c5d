"""Coordinate ascent on the dual without intercept.

Solves       max Σ a − ½ Σ a_i a_j t_i t_j K_ij  with  0 ≤ a ≤ C
Given        K, t, C, a tolerance, the order of the coordinates
Returns      multipliers
Stops when   no coordinate gains by more than the tolerance
See          docs/lectures/coordinate_ascent.md

With an intercept Σ a_i t_i = 0 would fix each multiplier by the others, and no coordinate could move alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.errors import ParameterError
from mercer.solvers.lectures.dual import Found, SmallDual
from mercer.solvers.lectures.method import Method
from mercer.solvers.lectures.pace import Ended, Pace
from mercer.solvers.status import Status
from mercer.typing import Floats

__all__ = ["CoordinateAscent"]


@dataclass(frozen=True)
class CoordinateAscent(Method):
    """Takes coordinates one after the other ("cyclic") or the one that violates most ("greedy")."""

    order: str = "cyclic"

    name = "coordinate-ascent"
    takes_hard_margin = False
    takes_intercept = False

    def __post_init__(self) -> None:
        if self.order not in ("cyclic", "greedy"):
            raise ParameterError(f"order: expected 'cyclic' or 'greedy', got {self.order!r}.")

    def run(self, dual: SmallDual, tol: float, start: Floats, pace: Pace, random: np.random.RandomState) -> Found:
        a = start.copy()
        slope = 1 - dual.G @ a  # of the objective in each coordinate
        try:
            while dual.violation(a) > tol:
                before = pace.count
                if self.order == "greedy":
                    gain = np.where(slope > 0, a < dual.C, a > 0) * np.abs(slope)
                    self._move(dual, a, slope, int(gain.argmax()), pace)
                else:
                    for i in range(dual.rows):
                        self._move(dual, a, slope, i, pace)
                if pace.count == before:
                    return Found(a, pace.count, Status.STALLED)
        except Ended as ended:
            return Found(a, pace.count, ended.status)
        return Found(a, pace.count, Status.SOLVED)

    @staticmethod
    def _move(dual: SmallDual, a: Floats, slope: Floats, i: int, pace: Pace) -> None:
        """To the top of the parabola in a_i, or to the end of the box on the way."""
        curvature = dual.G[i, i]
        top = a[i] + slope[i] / curvature if curvature > 0 else np.copysign(np.inf, slope[i])
        new, old = min(max(top, 0.0), dual.C[i]), a[i]
        if new == old or slope[i] == 0:
            return
        pace.step()
        slope -= dual.G[i] * (new - old)
        a[i] = new
        pace.record("coordinate", [i], [old], a, 0.0, 0.0, dual.C[i])
