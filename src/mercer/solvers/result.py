"""What solvers take and give: limits, progress, status, result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.problems import Groups
from mercer.typing import Floats

__all__ = ["Limits", "Progress", "Report", "Result", "Status", "STATUSES"]


class Status(Enum):
    """How a fit ended; each value is a sentence."""

    SOLVED = "Solved: the certificate is within the tolerance."
    STATIONARY = (
        "Stationary: the optimality conditions hold within the tolerance, but the kernel is not positive "
        "semi-definite, so this need not be the optimum."
    )
    TIME_LIMIT = "Stopped at the time limit before the tolerance was reached."
    ITERATION_LIMIT = "Stopped at the iteration limit before the tolerance was reached."
    STALLED = "Stalled: rounding or bad conditioning keeps the tolerance from being reached, or from being proved."
    INTERRUPTED = "Stopped because the callback asked for it."
    NO_MARGIN = "Ended because the margin is proved to be next to nothing."
    PASSES_DONE = "Made the passes that were asked for."
    SEPARATED = "Stopped after a pass without a mistake: the training rows are separated."
    STEADY = "Stopped because passes no longer improve by the tolerance, which is no proof of an optimum."
    DIVERGED = "Diverged: the weights grew beyond what float64 holds; the last finite ones are kept."

    @property
    def is_within_tolerance(self) -> bool:
        """Whether the certificate holds, so that nothing is to be warned of."""
        return self in (Status.SOLVED, Status.STATIONARY)


#: What the core says, in sentences.
STATUSES = {
    core.Status.SOLVED: Status.SOLVED,
    core.Status.TIME_LIMIT: Status.TIME_LIMIT,
    core.Status.STEP_LIMIT: Status.ITERATION_LIMIT,
    core.Status.STALLED: Status.STALLED,
    core.Status.INTERRUPTED: Status.INTERRUPTED,
    core.Status.UNBOUNDED: Status.NO_MARGIN,
}


class Limits(NamedTuple):
    """When a solver may stop short of the tolerance: seconds for all problems together, steps for each."""

    seconds: float = np.inf
    steps: int = 2**62


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


class Result(NamedTuple):
    """What a solver found: the coefficients of all groups, one after the other, and how each group ended."""

    coef: Floats
    statuses: list[Status]
    steps: list[int]
    #: Where the time of each went; None of those that took no kernel values.
    seconds: list[core.Seconds | None]
    #: One row a sum and one column a group, where the solver has offsets of its own; else they follow from `coef`.
    offsets: Floats | None = None
    #: What float64 leaves of the coefficients, where that matters.
    low: Floats | None = None

    def coef_of(self, groups: Groups, chosen: Sequence[int]) -> Floats:
        """The coefficients of some groups."""
        return np.concatenate([self.coef[groups.runs[k]] for k in chosen])

    def take_over(self, groups: Groups, chosen: Sequence[int], again: Result) -> None:
        """Replaces some groups by what came of solving them again; steps add up."""
        ends = groups.sizes[list(chosen)].cumsum()
        for number, (k, coef) in enumerate(zip(chosen, np.split(again.coef, ends[:-1]), strict=True)):
            self.coef[groups.runs[k]] = coef
            self.statuses[k], self.seconds[k] = again.statuses[number], again.seconds[number]
            self.steps[k] += again.steps[number]
