"""Stochastic subgradients of the hinge loss, with the weights written in the rows.

Solves       min ½‖w‖² + Σ C_i max(0, 1 − t_i (wᵀφ(x_i) + b)), roughly
Given        K, t, C, the number of passes, the size of batches
Returns      multipliers: w = Σ a_i t_i φ(x_i), and the best intercept for it
Stops when   the passes are done
See          docs/lectures/sgd.md; Shalev-Shwartz, Singer, Srebro, Cotter (2011), Pegasos

The k-th step has the length 1 / k in w, which makes w the mean of all subgradients so far: after whole passes a_i is
C_i times the share of the visits in which row i was within the margin, so that it lies in the box. The intercept has no
square in the objective, and takes steps of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.solvers.lectures.dual import Found, SmallDual
from mercer.solvers.lectures.method import Method, check_count
from mercer.solvers.lectures.pace import Ended, Pace
from mercer.solvers.status import Status
from mercer.typing import Floats

__all__ = ["HingeSgd"]


@dataclass(frozen=True)
class HingeSgd(Method):
    """Passes over the rows in random order, in batches."""

    passes: int = 200
    batch_size: int = 1

    name = "sgd"
    takes_hard_margin = False

    def __post_init__(self) -> None:
        check_count("passes", self.passes)
        check_count("batch_size", self.batch_size)

    def run(self, dual: SmallDual, tol: float, start: Floats, pace: Pace, random: np.random.RandomState) -> Found:
        K, t, C, n = dual.K, dual.t, dual.C, dual.rows
        a, y, b, steps = np.zeros(n), np.zeros(n), 0.0, 0
        try:
            for number in range(1, self.passes + 1):
                pace.step()
                old, order = a.copy(), random.permutation(n)
                for first in range(0, n, self.batch_size):
                    batch = order[first : first + self.batch_size]
                    steps += 1
                    inside = batch[t[batch] * (y[batch] + b) < 1]
                    a *= 1 - 1 / steps
                    y *= 1 - 1 / steps
                    push = C[inside] * (n / len(batch)) / steps
                    a[inside] += push
                    y += K[:, inside] @ (push * t[inside])
                    b += float(C[inside] @ t[inside]) / (float(C[batch].sum()) * steps**0.5)
                pace.record(f"pass {number}", np.arange(n), old, a, b)
        except Ended as ended:
            return Found(a, pace.count, ended.status)
        return Found(a, pace.count, Status.PASSES_DONE, dual.best_intercept(a))
