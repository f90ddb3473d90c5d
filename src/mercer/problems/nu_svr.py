"""ν-regression.

Solves   min ½‖w‖² + C (ν ε Σ v + Σ v_i ξ_i)   with  |y_i − wᵀφ(x_i) − b| ≤ ε + ξ_i,  ξ_i ≥ 0,  ε ≥ 0
Dual     max yᵀc − ½ cᵀKc   with  Σ c = 0,  Σ |c| ≤ C ν Σ v,  |c| ≤ C v
Given    the targets y, the weights v, C and ν
See      Schölkopf, Smola, Williamson, Bartlett (2000), New support vector algorithms

Where ε > 0 the second sum is met with equality: that is `NuRegression`. Where the best tube has no width, the problem
is ε-SVR with ε = 0: `NuRegressionWithoutTube`. With equality the problem is not convex, for a coefficient cannot change
its sign without the sum; a solver may end where ε < 0 though there is a better point with ε ≥ 0. In that rare case
`NuRegressionInTwins` has each row twice, with a coefficient for either sign, and is convex.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from mercer.problems.dual import DualProblem, Offsets
from mercer.problems.groups import Groups
from mercer.problems.nu_svc import greedy_fill
from mercer.problems.svr import SupportVectorRegression, spread_of_targets
from mercer.typing import Booleans, Floats

__all__ = ["NuRegression", "NuRegressionWithoutTube", "NuRegressionInTwins"]

# The second sum is met where it is less than its bound by no more than this share.
_SAME_SUM = 1e-9


class NuRegression(DualProblem):
    """ν-SVR with a tube of some width: the two sums are ± C ν Σ v / 2, the offsets b ± ε."""

    two_sums: ClassVar[bool] = True
    #: What Σ |c| may be at most, C ν Σ v.
    most: float = np.inf

    @classmethod
    def of(cls, y: Floats, bounds: Floats, nu: float) -> NuRegression | None:
        """The problem, from the largest and the least targets; None where no coefficients have these sums."""
        most = nu * float(bounds.sum())
        half = 0.5 * most
        order = np.argsort(y, kind="stable")
        start = np.zeros(len(y))
        below = greedy_fill(bounds[order], half)
        above = greedy_fill(bounds[order[::-1]], half)[::-1]
        if ((below > 0) & (above > 0)).any():
            return None
        start[order] = above - below
        return cls.around(y, bounds, start, most)

    @property
    def unit(self) -> float:
        return spread_of_targets(self.slope)

    @classmethod
    def around(cls, y: Floats, bounds: Floats, coef: Floats, most: float = np.inf) -> Self:
        """The problem whose sums these coefficients have."""
        problem = cls(y, -bounds, bounds, None, coef, Groups.of([y]))
        problem.most = most
        return problem

    def posed_by(self, coef: Floats) -> NuRegression | NuRegressionWithoutTube:
        """The problem that coefficients solve whose sums may be less than asked for: with a tube where they are not."""
        if float(np.abs(coef).sum()) < (1 - _SAME_SUM) * 2 * float(self.fixed_sums[0, 0]):
            return NuRegressionWithoutTube.of(self.slope, self.upper, self.most)
        return type(self).around(self.slope, self.upper, coef, self.most)

    @property
    def name(self) -> str:
        return "ν-regression (ν-SVR)"

    def width(self, offsets: Floats) -> Floats:
        """ε of each group."""
        return np.asarray(0.5 * (offsets[0] - offsets[1]))

    def width_around(self, intercept: Floats, allowed: Offsets) -> Floats:
        """The ε that fits best to b: in the middle of what both sums allow."""
        least = np.maximum(allowed.least[0] - intercept, intercept - allowed.largest[1])
        largest = np.minimum(allowed.largest[0] - intercept, intercept - allowed.least[1])
        ends = np.where(np.isinf(least), largest, least), np.where(np.isinf(largest), least, largest)
        return np.asarray(0.5 * ends[0] + 0.5 * ends[1])

    def offsets_around(self, intercept: Floats, width: Floats) -> Floats:
        """The offsets of machines with these b and ε."""
        return np.stack([intercept + width, intercept - width])

    def attainable(self, offsets: Floats) -> Floats:
        return self.offsets_around(self.intercept(offsets), np.maximum(self.width(offsets), 0.0))

    def places(self, slack: Floats, offsets: Floats) -> dict[str, Booleans]:
        return {"inside the tube": slack == 0, "outside the tube": slack > 0}


class NuRegressionWithoutTube(SupportVectorRegression):
    """ν-SVR where the best tube has no width: the second sum is below its bound, and nothing is said of it."""

    #: What Σ |c| may be at most, C ν Σ v: more asks for a tube.
    most: float = np.inf

    @classmethod
    def of(cls, y: Floats, bounds: Floats, most: float = np.inf) -> NuRegressionWithoutTube:
        problem = cls(y, -bounds, bounds, None, np.zeros(len(y)), Groups.of([y]))
        problem.most = most
        return problem

    @property
    def name(self) -> str:
        return "ν-regression (ν-SVR) with a tube of no width"


class NuRegressionInTwins(NuRegression):
    """ν-SVR on rows that stand twice, first with a positive coefficient and then with a negative one."""

    @classmethod
    def of(cls, y: Floats, bounds: Floats, most: float) -> NuRegressionInTwins:
        half, zero = 0.5 * most, np.zeros(len(y))
        start, twice = np.concatenate([greedy_fill(bounds, half), -greedy_fill(bounds, half)]), np.concatenate([y, y])
        lower, upper = np.concatenate([zero, -bounds]), np.concatenate([bounds, zero])
        return cls(twice, lower, upper, None, start, Groups.of([twice]))
