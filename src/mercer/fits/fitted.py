"""What a fit gives: machines with their proof, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mercer.certificates import Certificate, Evidence, Unevaluated
from mercer.fits.task import Task
from mercer.problems import DualProblem
from mercer.solvers import Extended, HeldOut, LinearOutcome, Status
from mercer.typing import Floats, Integers

__all__ = ["Fitted", "LinearFitted", "Proof", "ValuedRows"]

#: The certificate, or what it can be worked out from.
Proof = Evidence | Unevaluated | Certificate


class ValuedRows(NamedTuple):
    """Rows of one group, and what machines that were fitted without them say of each."""

    rows: Integers
    values: Floats


class Fitted(NamedTuple):
    """Expansions in the training rows, one a group, with their proof, and how the fit of each ended.

    `coef` has a coefficient for each row of all groups, one group after the other; `offsets` has one row a sum and one
    column a group. What is to be warned of is in `warnings`: whoever asked for the fit raises it.
    """

    task: Task
    coef: Floats
    offsets: Floats
    proof: Proof
    statuses: Sequence[Status]
    steps: Sequence[int]
    #: What float64 leaves of the coefficients, where that matters.
    low: Floats | None = None
    #: Whether the machines were proved in twice the precision of float64, and so have to be evaluated.
    is_precise: bool = False
    #: What the machines are divided by, one number a group; None for one.
    divisors: Floats | None = None
    warnings: tuple[Warning, ...] = ()
    #: What machines that were fitted without a row say of it, for some rows of each group, where the task has folds.
    held_out: list[ValuedRows] | None = None
    #: The same as a solver tells it, where it was asked and could.
    of_last_rows: HeldOut | None = None
    #: Σ_j coef_j k(x_j, x_i) at every row of all groups, where it was evaluated in time.
    products: Floats | None = None

    @property
    def problem(self) -> DualProblem:
        return self.task.problem

    @property
    def certificate(self) -> Certificate:
        return self.proof if isinstance(self.proof, Certificate) else self.proof.certificate

    @property
    def unsolved(self) -> list[Status]:
        """How those ended that do not meet the tolerance."""
        return [status for status in self.statuses if not status.is_within_tolerance]

    @property
    def status(self) -> Status:
        """How all ended together: the first that is unsolved speaks for all, then one that is stationary only."""
        return next(iter(self.unsolved), Status.STATIONARY if Status.STATIONARY in self.statuses else Status.SOLVED)

    def expansions(self) -> tuple[Integers, Floats, Floats]:
        """The machines, divided by what they are to be: rows of all groups, their coefficients, and the intercepts."""
        members, problem = self.task.members, self.task.problem
        rows, intercept = members[0] if len(members) == 1 else np.concatenate(members), problem.intercept(self.offsets)
        if self.divisors is None:
            return rows, self.coef, intercept
        return rows, self.coef / problem.groups.spread(self.divisors), intercept / self.divisors

    def machine_low(self, support: Integers) -> Floats | None:
        """What float64 leaves of the coefficients of all machines at their support vectors, one row each."""
        if self.low is None and self.divisors is None:
            return None
        groups = self.problem.groups
        low = np.zeros_like(self.coef) if self.low is None else self.low
        if self.divisors is not None:
            low = Extended(self.coef, low).over(groups.spread(self.divisors)).low
        full = np.zeros((len(groups), len(self.task.rows)))
        for row, run, members in zip(full, groups.runs, self.task.members, strict=True):
            row[members] = low[run]
        return full[:, support]


class LinearFitted(NamedTuple):
    """Linear machines with their certificates, one for each problem."""

    outcomes: Sequence[LinearOutcome]
    certificates: Sequence[Certificate]

    @property
    def certificate(self) -> Certificate:
        return Certificate.of_several(self.certificates)

    @property
    def status(self) -> Status:
        """How all ended together: the first that is not solved speaks for all."""
        unsolved = [one.status for one in self.outcomes if one.status is not Status.SOLVED]
        return unsolved[0] if unsolved else Status.SOLVED
