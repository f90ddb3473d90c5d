"""What every solver takes and gives: terms to keep to, and an outcome with an honest status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from mercer._runtime import core
from mercer.errors import ParameterError
from mercer.problems import DualProblem, Groups, Start
from mercer.rows import Subset
from mercer.solvers.status import Status
from mercer.solvers.trace import Step
from mercer.typing import Floats

__all__ = [
    "NO_LIMIT",
    "DualOutcome",
    "DualSolver",
    "HeldOut",
    "LinearOutcome",
    "Progress",
    "Report",
    "Terms",
    "refused",
]

#: More steps than anybody takes.
NO_LIMIT = 2**62


@dataclass(frozen=True)
class Progress:
    """Where a fit is: passed to callbacks about ten times a second.

    `violation` is that of the rows being worked on; `problem` counts the binary problems from 0 to `problems` − 1.
    """

    seconds: float
    steps: int
    violation: float
    active_rows: int
    problem: int = 0
    problems: int = 1


# Called with seconds, steps, violation, active rows and the number of the problem; returns True to stop.
Report = Callable[[float, int, float, int, int], bool]


class Terms(NamedTuple):
    """What a solver is held to, and who hears of it.

    Attributes
    ----------
    tol, gap_tol : float
        The violation, and where it is given the relative gap, that are asked for.
    ends : float
        The deadline for all problems together, on the clock `perf_counter`.
    steps : int
        The most steps for each problem.
    is_careful : bool
        Asks for values that are verified in float64, all of them: the certificate was not content without.
    least_margin : float
        Of problems without upper bounds: the solver ends once the margin is proved to be below this share of the data's
        radius in feature space.
    report : callable, optional
        Hears of progress, and may ask for an end.
    record : list of Step, optional
        Takes the steps; groups are counted from `first_group`.
    """

    tol: float = 1e-3
    gap_tol: float | None = None
    ends: float = np.inf
    steps: int = NO_LIMIT
    is_careful: bool = False
    least_margin: float = 0.0
    report: Report | None = None
    record: list[Step] | None = None
    first_group: int = 0

    @property
    def seconds(self) -> float:
        """What is left of the time."""
        return self.ends - perf_counter()

    def after(self, steps: int) -> Terms:
        """What is left after so many steps."""
        return self._replace(steps=self.steps - steps)

    def used_up(self) -> Terms:
        """With nothing left, for who only wants to know where the start stands."""
        return self._replace(ends=perf_counter(), steps=0)


class HeldOut(NamedTuple):
    """What machines of the other rows make of the last rows of each group, as the start asked.

    `products` has Σ_j coef_j k(x_j, x) for these rows, one array a group; `offsets` one row a sum and one column a
    group.
    """

    products: list[Floats]
    offsets: Floats


class DualOutcome(NamedTuple):
    """What a solver of dual problems found: the coefficients of all groups, and how each group ended."""

    coef: Floats
    statuses: list[Status]
    steps: list[int]
    #: Where the time of each went; None of those that took no kernel values.
    seconds: list[core.Seconds | None]
    #: One row a sum and one column a group, where the solver has offsets of its own; else they follow from `coef`.
    offsets: Floats | None = None
    #: What float64 leaves of the coefficients, where that matters.
    low: Floats | None = None
    #: Where the start asks for it, and the solver can tell.
    held_out: HeldOut | None = None

    def coef_of(self, groups: Groups, chosen: Sequence[int]) -> Floats:
        """The coefficients of some groups."""
        return np.concatenate([self.coef[groups.runs[k]] for k in chosen])

    def take_over(self, groups: Groups, chosen: Sequence[int], again: DualOutcome) -> None:
        """Replaces some groups by what came of solving them again; steps add up."""
        ends = groups.sizes[list(chosen)].cumsum()
        for number, (k, coef) in enumerate(zip(chosen, np.split(again.coef, ends[:-1]), strict=True)):
            self.coef[groups.runs[k]] = coef
            self.statuses[k], self.seconds[k] = again.statuses[number], again.seconds[number]
            self.steps[k] += again.steps[number]


class LinearOutcome(NamedTuple):
    """What a solver of linear problems found of one: weights and intercept, dual variables, and how it ended.

    Of several classes at once, there is a row of weights and an intercept for each.
    """

    weights: Floats
    intercept: Any
    coef: Floats
    steps: int
    status: Status
    #: What a like problem, solved by a like method, may begin from.
    start: Floats
    #: What float64 leaves of the dual variables, where that is needed.
    coef_low: Floats | None = None


@runtime_checkable
class DualSolver(Protocol):
    """Solves dual problems: each group on its rows, from feasible coefficients."""

    @property
    def leaves_hard_problems(self) -> bool:
        """Whether what stalls, and is small, is to be solved densely."""

    def require(self, problem: DualProblem, subsets: Sequence[Subset]) -> None:
        """Raises, in one sentence, where it cannot."""

    def solve(self, problem: DualProblem, start: Start, subsets: Sequence[Subset], terms: Terms) -> DualOutcome:
        """The coefficients of all groups."""


def refused(parameter: str, solver: str, expected: str, got: object, instead: str) -> ParameterError:
    """The error for a solver that cannot do what it is asked: what it needs, what came, what to do."""
    return ParameterError(f"{parameter}: solver={solver!r} expects {expected}, got {got}. {instead}")
