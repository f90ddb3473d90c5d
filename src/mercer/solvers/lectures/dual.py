"""The dual of a support vector machine on few rows, written as the lectures write it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mercer.solvers.status import Status
from mercer.typing import Booleans, Floats

__all__ = ["Found", "SmallDual"]

# A multiplier so near to a bound, as a share of C, is at it.
_AT_BOUND = 1e-12


class Found(NamedTuple):
    """Multipliers, steps taken, and how it ended; an intercept where it does not follow from the multipliers."""

    alpha: Floats
    steps: int
    status: Status
    intercept: float | None = None


@dataclass(frozen=True)
class SmallDual:
    """max Σ a − ½ Σ a_i a_j t_i t_j K_ij   with  0 ≤ a ≤ C,  and Σ a_i t_i = 0 where there is an intercept.

    `C` has an entry a row, infinite under the hard margin; then a margin that is proved to be below `least_margin` is
    taken for none. `Phi` are the rows under an explicit feature map, where the solver works with weights.
    """

    K: Floats
    t: Floats
    C: Floats
    has_intercept: bool = True
    Phi: Floats | None = None
    least_margin: float = 0.0

    @property
    def rows(self) -> int:
        return len(self.t)

    @property
    def is_hard_margin(self) -> bool:
        return bool(np.isinf(self.C[0]))

    @cached_property
    def G(self) -> Floats:
        """G_ij = t_i t_j K_ij."""
        return self.t[:, None] * self.K * self.t

    def values(self, a: Floats) -> Floats:
        """Σ_j a_j t_j K_ij: what the machine says of each row, without the intercept."""
        return self.K @ (a * self.t)

    def dual(self, a: Floats) -> float:
        return float(a.sum() - 0.5 * a @ self.G @ a)

    def primal(self, a: Floats, b: float) -> float:
        """½‖w‖² + Σ C ξ; under the hard margin after dividing by the least score, infinite where that is below zero."""
        half_norm = 0.5 * float(a @ self.G @ a)
        scores = self.t * (self.values(a) + b)
        if self.is_hard_margin:
            least = float(scores.min())
            return half_norm / least**2 if least > 0 else np.inf
        return half_norm + float(self.C @ np.maximum(0.0, 1.0 - scores))

    def has_no_margin(self, a: Floats) -> bool:
        """Whether the margin is next to nothing: no machine has ½‖w‖² below the dual, and the margin is 1 / ‖w‖."""
        return self.is_hard_margin and self.least_margin * np.sqrt(2 * max(self.dual(a), 0.0)) > 1

    def best_intercept(self, a: Floats) -> float:
        """The one with the least losses, which are a line but at t_i − Σ a_j t_j K_ij."""
        kinks = self.t - self.values(a)
        return float(kinks[np.argmin([self.primal(a, b) for b in kinks])])

    # ---------------------------------------------------------------- optimality

    def may_grow(self, a: Floats) -> Booleans:
        """Rows whose a_i t_i can grow within the box."""
        return np.where(self.t > 0, a < self.C * (1 - _AT_BOUND), a > 0)

    def may_fall(self, a: Floats) -> Booleans:
        return np.where(self.t > 0, a > 0, a < self.C * (1 - _AT_BOUND))

    def interval(self, a: Floats) -> tuple[float, float]:
        """Intercepts that the optimality conditions allow: from the first to the second; crossed off the optimum."""
        gains = self.t - self.values(a)
        up, low = self.may_grow(a), self.may_fall(a)
        return float(np.max(gains, where=up, initial=-np.inf)), float(np.min(gains, where=low, initial=np.inf))

    def violation(self, a: Floats) -> float:
        """m(a) − M(a)."""
        least, largest = self.interval(a)
        if not self.has_intercept:
            least, largest = max(least, 0.0), min(largest, 0.0)
        return least - largest

    def intercept(self, a: Floats) -> float:
        """The mean over free rows of t_i − Σ a_j t_j K_ij, or the middle of the interval where no row is free."""
        if not self.has_intercept:
            return 0.0
        free = self.may_grow(a) & self.may_fall(a)
        if free.any():
            return float(np.mean((self.t - self.values(a))[free]))
        least, largest = self.interval(a)
        ends = [end for end in (least, largest) if np.isfinite(end)]
        return sum(ends) / len(ends) if ends else 0.0
