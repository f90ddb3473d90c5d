"""Linear machines of several classes at once, after Crammer and Singer.

Primal   min ½ Σₘ ‖wₘ‖² + Σ C_i maxₘ (e_im + fₘ(x_i) − f_y(x_i)),   fₘ(x) = wₘᵀx + bₘ,   e_im = 0 for the class y of row
         i and 1 for the others; with ½ Σ (bₘ / scaling)² where there are intercepts
Dual     max −Σ e_im α_im − ½ Σₘ ‖Σ_i α_im x_i‖²   with  Σₘ α_im = 0,  α_iy ≤ C_i,  α_im ≤ 0 for the others
         less ½ Σₘ (scaling Σ_i α_im)²
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer.problems.linear import REGULARIZED, InterceptColumn
from mercer.typing import Booleans, Floats, Integers

__all__ = ["CrammerSingerProblem"]

# A coefficient is at a bound where it is no farther from it than this share of C.
_NEXT_TO = 1e-12


@dataclass(frozen=True, eq=False)
class CrammerSingerProblem:
    """Some rows of the data, their classes from 0, and C · weight for each."""

    rows: Integers
    labels: Integers
    classes: int
    bounds: Floats
    intercept: InterceptColumn = REGULARIZED

    name = "Linear classification (Crammer and Singer, all classes at once)"

    # ---------------------------------------------------------------- objectives

    def losses(self, values: Floats) -> Floats:
        """What each row costs at these values of the functions, one a class."""
        return np.asarray(self.bounds * (self._raised(values).max(axis=1) - values[self._own]))

    def dual(self, coef: Floats, squared_norm: float) -> float:
        """The dual value of feasible coefficients, given the sum of ‖Σ α_im x_i‖² with what intercepts add to it."""
        return -float(coef[~self._own].sum()) - 0.5 * squared_norm

    def feasible(self, coef: Floats) -> Floats:
        """Coefficients within their bounds that add up to zero in each row; those next to a bound are at it."""
        others = np.where(self._own | (coef > -_NEXT_TO * self.bounds[:, None]), 0.0, coef)
        total = -others.sum(axis=1)
        full = total >= (1 - _NEXT_TO) * self.bounds
        others *= np.divide(self.bounds, total, where=full, out=np.ones_like(total))[:, None]
        others[self._own] = np.where(full, self.bounds, total)
        return others

    def coef_at(self, values: Floats) -> Floats:
        """Coefficients that the losses have at these values: C for the class of a row, −C for the one ahead of it."""
        ahead = np.arange(self.classes) == self._raised(values).argmax(axis=1)[:, None]
        return np.asarray(self.bounds[:, None] * (self._own.astype(np.float64) - ahead))

    # ---------------------------------------------------------------- optimality

    def residuals(self, coef: Floats, values: Floats) -> Floats:
        """How far each row is from being optimal, in units of the values."""
        raised = self._raised(values)
        may_grow = coef < np.where(self._own, self.bounds[:, None], 0.0)
        lowest = np.where(may_grow, raised, np.inf).min(axis=1)
        return np.asarray(np.maximum(raised.max(axis=1) - lowest, 0.0))

    def kinds(self, coef: Floats) -> dict[str, Booleans]:
        """Rows by what the coefficient of their class is."""
        own = coef[self._own]
        zero, bounded = own == 0, (own != 0) & (own == self.bounds)
        return {"non-support": zero, "free": ~zero & ~bounded, "bounded": bounded}

    def places(self, values: Floats) -> dict[str, Booleans]:
        """Rows by how far their class stands out."""
        lead = values[self._own] - np.where(self._own, -np.inf, values).max(axis=1)
        return {"outside": lead >= 1, "inside the margin": (lead < 1) & (lead > 0), "misclassified": lead <= 0}

    @cached_property
    def _own(self) -> Booleans:
        """Which class each row is of, rows by classes."""
        return np.asarray(np.arange(self.classes) == self.labels[:, None])

    def _raised(self, values: Floats) -> Floats:
        return values + ~self._own
