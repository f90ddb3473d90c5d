"""How a fit ended."""

from __future__ import annotations

from enum import Enum

from mercer._runtime import core

__all__ = ["STATUSES", "Status"]


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
