"""What certificates are worked out from, and a quick answer to whether they will hold.

A fit needs to know only whether it is solved, and a small fit takes less time than its certificates. So the evidence is
kept instead, and the certificates come when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mercer.certificates.certificate import FEASIBLE, Certificate
from mercer.certificates.optimality import certify_machines, certify_precise_machines
from mercer.certificates.precise import PreciseValues
from mercer.certificates.products import Products
from mercer.certificates.rounding import accuracy_bound, accuracy_of_products
from mercer.gram import TrainingData
from mercer.kernels import Kernel
from mercer.plain_state import PlainState
from mercer.problems import DualProblem, Standing
from mercer.typing import Floats, Integers

__all__ = ["Evidence", "Unevaluated"]

# The share of the tolerance that is left to the certificates to judge: numbers so near to it could round either way.
_DOUBT = 1e-3

# With bounds up to here and products that are accurate, float64 holds the objectives of any number of rows.
_MODERATE = 1e60


@dataclass(frozen=True, eq=False)
class Evidence(PlainState):
    """Machines Σ coef_j k(x_j, ·) + offset, one for each group of a problem, and their values on its rows.

    Attributes
    ----------
    problem : DualProblem
        Slopes and bounds of the rows.
    data, rows
        The training data, and which of its rows the groups have, one group after the other.
    coef, offsets : ndarray
        The machines: one coefficient a row, zero where it is not a support vector; one offset a sum and group.
    expand : callable
        Takes a kernel k and coefficients to Σ_j coef_j k(x_j, x_i) over the rows j of i's group, for every row i, in
        float64.
    products : Products
        What it makes of `coef`, in float64 where that decides.
    standing : Standing
        What a quick look at the optimality conditions says.
    tol : float or None
        What the violation will be held against, where that is known: rounding far below it needs no closer look.
    precise : PreciseValues or None
        The machines in twice the precision of float64, where that is worth its time: they stand for `products` then.
    """

    problem: DualProblem
    data: TrainingData
    rows: Integers
    coef: Floats
    offsets: Floats
    expand: Callable[[Kernel, Floats], Floats]
    products: Products
    standing: Standing
    tol: float | None = None
    precise: PreciseValues | None = None

    @cached_property
    def certificates(self) -> list[Certificate]:
        """One certificate a group."""
        kernel, diagonal = self.data.kernel, self.data.diagonal[self.rows]
        machines = (self.problem, self.coef, self.offsets)
        if self.precise is not None:
            return certify_precise_machines(*machines, self.precise, kernel.is_definite, diagonal)
        accuracy = accuracy_of_products(
            *(self.data, self.rows, self.problem.groups, self.coef, self.problem.slope, self.expand),
            enough=0.0 if self.tol is None else _DOUBT * self.tol,
        )
        return certify_machines(*machines, *self.products, kernel.is_definite, diagonal, accuracy)

    @cached_property
    def certificate(self) -> Certificate:
        """One certificate for all machines together."""
        return Certificate.of_several(self.certificates)

    def surely_hold(self, tol: float) -> bool:
        """True only where every certificate holds, whatever the gap; False where it takes the certificates to tell.

        With the coefficients in their box, no residual of the optimality conditions is larger than the distance from
        the offset to an end of the interval that these conditions allow. With a definite kernel no product is larger
        than the sum of the coefficients' sizes times the largest k(x, x), so that its rounding is known as well.
        """
        standing, doubt = self.standing, _DOUBT * tol
        least = np.maximum(standing.offsets.least, self.offsets)
        largest = np.minimum(standing.offsets.largest, self.offsets)
        return bool(
            self.data.kernel.is_definite
            and standing.is_inside
            and (least - largest).max() <= tol - doubt
            and standing.imbalance <= FEASIBLE
            and accuracy_bound(self.data, len(self.coef), standing.largest_size, standing.largest_slope) <= doubt
            and standing.largest_bound <= _MODERATE
        )


@dataclass(frozen=True, eq=False)
class Unevaluated:
    """Machines that there was no time to evaluate on all their rows, and how that is done when somebody asks."""

    data: TrainingData
    evaluate: Callable[[TrainingData], Evidence]

    @property
    def certificate(self) -> Certificate:
        """One certificate for all machines together."""
        return self.evaluate(self.data).certificate

    def on_a_copy(self) -> Unevaluated:
        """The same, whatever becomes of the data, and with all the time it takes."""
        return replace(self, data=TrainingData(self.data.kernel, self.data.X.copy()))
