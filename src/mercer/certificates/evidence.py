"""What certificates are worked out from, and a quick answer to whether they will hold.

A fit needs to know only whether it is solved, and a small fit takes less time than its certificates. So the evidence is
kept instead, and the certificates come when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mercer.certificates.certificate import FEASIBLE, Certificate
from mercer.certificates.optimality import certify_machines, certify_precise_machines
from mercer.certificates.precise import PreciseValues, evaluate_precisely, may_evaluate_precisely
from mercer.certificates.products import Products, evaluate_products
from mercer.certificates.rounding import accuracy_bound, accuracy_of_products
from mercer.plain_state import PlainState
from mercer.problems import DualProblem, KktSummary
from mercer.rows import Rows
from mercer.typing import Floats, Integers

__all__ = ["Evidence", "Unevaluated", "evidence_of", "more_precise"]

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
    rows, members
        The training rows, and which of them each group has.
    coef, offsets : ndarray
        The machines: one coefficient a row, zero where it is not a support vector; one offset a sum and group.
    threads : int
        For what is still to be worked out.
    products : Products
        Σ_j coef_j k(x_j, x_i) over the rows j of i's group, for every row i, in float64 where that decides.
    kkt : KktSummary
        What a quick look at the optimality conditions says.
    tol : float or None
        What the violation will be held against, where that is known: rounding far below it needs no closer look.
    precise : PreciseValues or None
        The machines in twice the precision of float64, where that is worth its time: they stand for `products` then.
    """

    problem: DualProblem
    rows: Rows
    members: Sequence[Integers]
    coef: Floats
    offsets: Floats
    threads: int
    products: Products
    kkt: KktSummary
    tol: float | None = None
    precise: PreciseValues | None = None

    @cached_property
    def certificates(self) -> list[Certificate]:
        """One certificate a group."""
        convex, diagonal = self.rows.is_definite, self.rows.diagonal[np.concatenate(self.members)]
        machines = (self.problem, self.coef, self.offsets)
        if self.precise is not None:
            return certify_precise_machines(*machines, self.precise, convex, diagonal)
        accuracy = accuracy_of_products(
            *(self.rows, self.members, self.problem.groups, self.coef, self.problem.slope, self.threads),
            enough=0.0 if self.tol is None else _DOUBT * self.tol,
        )
        return certify_machines(*machines, *self.products, convex, diagonal, accuracy)

    @cached_property
    def certificate(self) -> Certificate:
        """One certificate for all machines together."""
        return Certificate.of_several(self.certificates)

    def certainly_hold(self, tol: float) -> bool:
        """True only where every certificate holds, whatever the gap; False where it takes the certificates to tell.

        With the coefficients in their box, no residual of the optimality conditions is larger than the distance from
        the offset to an end of the interval that these conditions allow. With a definite kernel no product is larger
        than the sum of the coefficients' sizes times the largest k(x, x), so that its rounding is known as well.
        """
        kkt, doubt = self.kkt, _DOUBT * tol
        least = np.maximum(kkt.offsets.least, self.offsets)
        largest = np.minimum(kkt.offsets.largest, self.offsets)
        return bool(
            self.rows.is_definite
            and kkt.is_inside
            and (least - largest).max() <= tol - doubt
            and kkt.imbalance <= FEASIBLE
            and accuracy_bound(self.rows, len(self.coef), kkt.largest_size, kkt.largest_slope) <= doubt
            and kkt.largest_bound <= _MODERATE
        )


@dataclass(frozen=True, eq=False)
class Unevaluated:
    """Machines that there was no time to evaluate on all their rows: that is done when somebody asks."""

    problem: DualProblem
    rows: Rows
    members: Sequence[Integers]
    coef: Floats
    offsets: Floats
    threads: int

    @property
    def certificate(self) -> Certificate:
        """One certificate for all machines together."""
        machines = (self.problem, self.rows, self.members, self.coef, self.offsets)
        return evidence_of(*machines, self.threads).certificate

    def on_a_copy(self) -> Unevaluated:
        """The same, whatever becomes of the data, and with all the time it takes."""
        return replace(self, rows=self.rows.copied())


def evidence_of(
    problem: DualProblem,
    rows: Rows,
    members: Sequence[Integers],
    coef: Floats,
    offsets: Floats | None,
    threads: int,
    tol: float | None = None,
    low: Floats | None = None,
    products: Products | None = None,
) -> Evidence:
    """The machines with these coefficients, one a group, evaluated on their rows.

    Every kernel value is in float64, or with a `tol` those that decide whether it is met. Where no offsets are given,
    they follow from the coefficients; `products` are given where they are known, and `low`, what float64 leaves of the
    coefficients, where it matters.
    """
    if products is None:
        products = evaluate_products(problem, rows, members, coef, threads, tol)
    kept = rows.without_copies()  # evidence may be kept for long
    kkt = problem.kkt_summary(coef, products.values)
    own = kkt.offsets.best if offsets is None else offsets
    evidence = Evidence(problem, kept, members, coef, own, threads, products, kkt, tol)
    return evidence if low is None else more_precise(evidence, offsets, low)


def more_precise(evidence: Evidence, offsets: Floats | None, low: Floats | None = None) -> Evidence:
    """The same machines in twice the precision of float64, where they are small enough."""
    problem, rows, members = evidence.problem, evidence.rows, evidence.members
    if not may_evaluate_precisely(rows, members):
        return evidence
    values = evaluate_precisely(problem, rows, members, evidence.coef, low, evidence.threads)
    kkt = problem.kkt_summary(evidence.coef, values.machine)
    own = kkt.offsets.best if offsets is None else offsets
    return replace(evidence, offsets=own, kkt=kkt, precise=values)
