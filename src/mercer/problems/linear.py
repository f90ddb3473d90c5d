"""Linear machines, found through their weights.

Primal   min ½‖w‖² + Σ loss_i(f(x_i)),   f(x) = wᵀx + b,   with ½ (b / scaling)² where the intercept is regularised
Dual     max slopeᵀc − kinkᵀ|c| − Σ c_i² / (2 weight_i) − ½‖Σ c_i x_i‖²   with  lower ≤ c ≤ upper
         less ½ (scaling Σ c)² where the intercept is regularised, and with Σ c = 0 where it is free

Where weights are penalised by their absolute values, Σ|w_j| stands for ½‖w‖², and in the dual |Σ c_i x_ij| ≤ 1 for
every column j, that of a regularised intercept among them, for what is subtracted.

The loss of a row is what its coefficient can add to the dual at most: max c (slope − f) − kink |c| − c² / (2 weight).
With finite bounds and no weight that is the hinge loss or that of a tube; with weights 2C and infinite bounds their
squares, as LIBLINEAR has them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from mercer.typing import Booleans, Floats, Integers

__all__ = ["REGULARIZED", "Intercept", "InterceptColumn", "LinearProblem", "Penalty"]


class Intercept(Enum):
    """What becomes of the intercept."""

    NONE = "none"
    REGULARIZED = "regularised, as a weight of its own feature"
    FREE = "free"


class InterceptColumn(NamedTuple):
    """An intercept as the weight of a column whose value is `scaling` in every row."""

    kind: Intercept
    scaling: float = 1.0

    @property
    def is_free(self) -> bool:
        return self.kind is Intercept.FREE

    @property
    def value(self) -> float:
        """The value of the column, zero where there is none."""
        return 0.0 if self.kind is Intercept.NONE else self.scaling

    @property
    def penalised_value(self) -> float:
        """The same where its weight is penalised, else zero."""
        return self.scaling if self.kind is Intercept.REGULARIZED else 0.0

    def parted(self, w: Floats) -> tuple[Floats, Any]:
        """Weights and intercept, from weights with that of the column behind them."""
        if self.kind is Intercept.NONE:
            return w, np.zeros(w.shape[:-1])[()]
        return w[..., :-1], self.scaling * w[..., -1]

    def joined(self, weights: Floats, intercept: Any) -> Floats:
        """The weights, with that of the column behind them where there is one."""
        return weights if self.kind is Intercept.NONE else np.append(weights, intercept / self.scaling)


#: As LIBLINEAR has it.
REGULARIZED = InterceptColumn(Intercept.REGULARIZED)


class Penalty(Enum):
    """What weights cost."""

    SQUARES = "l2"
    ABSOLUTE = "l1"


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """Losses of some rows of the data; `weight` is None where they are not squared."""

    name: str
    rows: Integers
    slope: Floats
    lower: Floats
    upper: Floats
    kink: float
    weight: Floats | None
    #: How far values lie apart, about.
    unit: float
    intercept: InterceptColumn = REGULARIZED
    penalty: Penalty = Penalty.SQUARES

    @classmethod
    def of_signs(
        cls,
        rows: Integers,
        signs: Floats,
        C: Floats,
        squared: bool,
        intercept: InterceptColumn = REGULARIZED,
        penalty: Penalty = Penalty.SQUARES,
    ) -> LinearProblem:
        """Classification with C · weight for each row."""
        bound = np.full(len(C), np.inf) if squared else C
        of_weights = ", absolute weights" if penalty is Penalty.ABSOLUTE else ""
        return cls(
            name=f"Linear classification ({'squared hinge' if squared else 'hinge'} loss{of_weights})",
            rows=rows,
            slope=signs,
            lower=np.where(signs < 0, -bound, 0.0),
            upper=np.where(signs > 0, bound, 0.0),
            kink=0.0,
            weight=2 * C if squared else None,
            unit=1.0,
            intercept=intercept,
            penalty=penalty,
        )

    @classmethod
    def of_targets(
        cls,
        rows: Integers,
        y: Floats,
        C: Floats,
        epsilon: float,
        squared: bool,
        intercept: InterceptColumn = REGULARIZED,
    ) -> LinearProblem:
        """Regression with a tube of half-width ε."""
        bound = np.full(len(C), np.inf) if squared else C
        spread = float(np.median(np.abs(y - np.median(y)))) or float(np.abs(y - np.median(y)).mean())
        return cls(
            name=f"Linear regression ({'squared ' if squared else ''}ε-insensitive loss)",
            rows=rows,
            slope=y,
            lower=-bound,
            upper=bound,
            kink=epsilon,
            weight=2 * C if squared else None,
            unit=spread or 1.0,
            intercept=intercept,
        )

    def part(self, chosen: slice) -> LinearProblem:
        """The losses of some of the rows."""
        return replace(
            self,
            rows=self.rows[chosen],
            slope=self.slope[chosen],
            lower=self.lower[chosen],
            upper=self.upper[chosen],
            weight=None if self.weight is None else self.weight[chosen],
        )

    # ---------------------------------------------------------------- objectives

    def losses(self, values: Floats) -> Floats:
        """What each row costs at these values of the machine."""
        excess = np.maximum(self._distance(values) - self.kink, 0.0)
        side = np.where(self.slope > values, self.upper, -self.lower)
        if self.weight is not None:
            return np.where(side > 0, 0.5 * self.weight * excess**2, 0.0)
        return side * excess

    def penalty_of(self, weights: Floats, of_offset: float) -> float:
        """What the weights cost, with that of the column of a regularised intercept."""
        if self.penalty is Penalty.ABSOLUTE:
            return float(np.abs(weights).sum() + np.abs(of_offset))
        return 0.5 * float(np.square(weights).sum() + np.square(of_offset))

    def gains(self, coef: Floats) -> Floats:
        """What each row adds to the dual value."""
        gains: Floats = self.slope * coef
        if self.kink:
            gains -= self.kink * np.abs(coef)
        if self.weight is not None:
            gains -= coef**2 / (2 * self.weight)
        return gains

    def dual_penalty(self, sums: Floats, of_offset: float) -> float:
        """What the dual value is less by, given Σ c_i x_i and the sum for a regularised intercept."""
        return 0.0 if self.penalty is Penalty.ABSOLUTE else self.penalty_of(sums, of_offset)

    def feasible(self, coef: Floats, balanced: bool) -> Floats:
        """Coefficients within their bounds; where they are to be `balanced`, the heavier side is scaled down."""
        inside = np.clip(coef, self.lower, self.upper)
        if not balanced:
            return inside
        up, down = float(inside[inside > 0].sum()), -float(inside[inside < 0].sum())
        least = min(up, down)
        if not least > 0:
            return np.zeros_like(inside)
        return inside * np.where(inside > 0, least / up, least / down)

    def coef_at(self, values: Floats) -> Floats:
        """The coefficients that the losses have at these values, less their slopes there; at a kink zero is one."""
        pull = self.slope - values
        beyond = np.sign(pull) * np.maximum(np.abs(pull) - self.kink, 0.0)
        if self.weight is not None:
            return np.asarray(np.clip(self.weight * beyond, self.lower, self.upper))
        return np.select([beyond > 0, beyond < 0], [self.upper, self.lower], 0.0)

    # ---------------------------------------------------------------- optimality

    def residuals(self, coef: Floats, values: Floats) -> Floats:
        """How far each row is from being optimal, in units of the values."""
        pull = self.slope - values
        if self.weight is not None:
            pull = pull - coef / self.weight
        gain_up, gain_down = pull, -pull
        if self.kink:
            gain_up = gain_up + np.where(coef < 0, self.kink, -self.kink)
            gain_down = gain_down + np.where(coef > 0, self.kink, -self.kink)
        up, down = np.where(coef < self.upper, gain_up, 0.0), np.where(coef > self.lower, gain_down, 0.0)
        return np.maximum(np.maximum(up, down), 0.0)

    def kinds(self, coef: Floats) -> dict[str, Booleans]:
        """Rows by what their coefficient is."""
        zero = coef == 0
        bounded = ~zero & ((coef == self.lower) | (coef == self.upper))
        return {"non-support": zero, "free": ~zero & ~bounded, "bounded": bounded}

    def places(self, values: Floats) -> dict[str, Booleans]:
        """Rows by where they lie."""
        if self.is_classification:
            score = self.slope * values
            return {"outside": score >= 1, "inside the margin": (score < 1) & (score > 0), "misclassified": score <= 0}
        within = np.abs(self.slope - values) <= self.kink
        return {"inside the tube": within, "outside the tube": ~within}

    @property
    def is_classification(self) -> bool:
        return bool(np.all((self.lower == 0) | (self.upper == 0)))

    def _distance(self, values: Floats) -> Floats:
        return np.asarray(np.abs(self.slope - values))
