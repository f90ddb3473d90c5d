"""Sequential minimal optimisation, as it is sketched in the lectures.

Solves       the dual of C-SVC
Given        K, t, C, a tolerance, the number of passes without a change after which it ends
Returns      multipliers
Stops when   so many passes over the rows changed nothing
See          docs/lectures/smo.md; Platt (1998), Sequential minimal optimization

A row that violates its optimality condition is taken with a random partner, and the two move along the line on which
Σ a_i t_i stays zero, to its best point within the box. Bounds may differ from row to row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.solvers.lectures.dual import Found, SmallDual
from mercer.solvers.lectures.method import Method, check_count
from mercer.solvers.lectures.pace import Ended, Pace
from mercer.solvers.status import Status
from mercer.typing import Floats

__all__ = ["Segment", "SmoSketch"]

# A multiplier has changed where it moved by more than this share of its size: rounding moves it too.
_MOVED = 1e-12


@dataclass(frozen=True)
class Segment:
    """Where a_j can go while a_i t_i + a_j t_j stays what it is and both stay in their boxes: from low to high."""

    low: float
    high: float

    @classmethod
    def of_pair(cls, a: Floats, t: Floats, C: Floats, i: int, j: int) -> Segment:
        if t[i] == t[j]:
            both = a[i] + a[j]
            return cls(max(0.0, both - C[i]), min(C[j], both))
        return cls(max(0.0, a[j] - a[i]), min(C[j], C[i] + a[j] - a[i]))


@dataclass(frozen=True)
class SmoSketch(Method):
    """Parameters of the sketch: a row that violates tries as many partners, by chance, before the sketch gives up."""

    max_passes_without_a_changing: int = 100

    name = "smo-sketch"
    needs_definite = False

    def __post_init__(self) -> None:
        check_count("max_passes_without_a_changing", self.max_passes_without_a_changing)

    def run(self, dual: SmallDual, tol: float, start: Floats, pace: Pace, random: np.random.RandomState) -> Found:
        K, t, C = dual.K, dual.t, dual.C
        a, b = start.copy(), dual.intercept(start)
        y = dual.values(a) + b  # the machine's values of all rows
        passes = 0
        try:
            while passes < self.max_passes_without_a_changing:
                changed = 0
                for i in range(dual.rows):
                    E_i = y[i] - t[i]
                    if not ((a[i] < C[i] and t[i] * E_i < -tol) or (a[i] > 0 and t[i] * E_i > tol)):
                        continue
                    j = int(random.randint(dual.rows - 1))
                    j += j >= i
                    E_j = y[j] - t[j]

                    # Along the line the dual is a parabola, whose second derivative is never positive; where it is
                    # zero, a straight line.
                    slope, curvature = t[j] * (E_i - E_j), 2 * K[i, j] - K[i, i] - K[j, j]
                    segment = Segment.of_pair(a, t, C, i, j)
                    top = a[j] - slope / curvature if curvature < 0 else np.copysign(np.inf, slope)
                    a_j = min(max(top, segment.low), segment.high)
                    if slope == 0 or np.isinf(a_j) or abs(a_j - a[j]) <= _MOVED * (a_j + a[j]):
                        continue
                    a_i = min(max(a[i] - t[i] * t[j] * (a_j - a[j]), 0.0), C[i])
                    pace.step()

                    moved_i, moved_j = t[i] * (a_i - a[i]), t[j] * (a_j - a[j])
                    b_i = b - E_i - moved_i * K[i, i] - moved_j * K[j, i]
                    b_j = b - E_j - moved_i * K[i, j] - moved_j * K[j, j]
                    new_b = b_i if 0 < a_i < C[i] else b_j if 0 < a_j < C[j] else 0.5 * (b_i + b_j)

                    y += moved_i * K[i] + moved_j * K[j] + (new_b - b)
                    old, b = [a[i], a[j]], new_b
                    a[i], a[j] = a_i, a_j
                    changed += 1
                    pace.record("pair", [i, j], old, a, b, segment.low, segment.high)
                passes = 0 if changed else passes + 1
                if dual.has_no_margin(a):
                    return Found(a, pace.count, Status.NO_MARGIN)
        except Ended as ended:
            return Found(a, pace.count, ended.status)
        return Found(a, pace.count, Status.SOLVED)
