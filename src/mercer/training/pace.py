"""One clock for a whole run: how much time is left, and who hears how far it is."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

__all__ = ["Pace", "Progress"]

#: Called with the name of a stage, how much of it is done (0 to 1), and what is being done in words.
Progress = Callable[[str, float, str], object]


class Pace:
    """The time of a run.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now on.
    progress : callable or None
        Who hears of stages.
    """

    def __init__(self, time_limit: float | None, progress: Progress | None = None) -> None:
        self._began = perf_counter()
        self._limit, self._progress = time_limit, progress

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return perf_counter() - self._began

    @property
    def is_limited(self) -> bool:
        return self._limit is not None

    @property
    def left(self) -> float:
        """Seconds until the limit, infinite without one; never below a hundredth, for something is always tried."""
        return float("inf") if self._limit is None else max(0.01, self._limit - self.seconds)

    def share(self, part: float) -> float | None:
        """This part of what is left, as time limits are given: None without a limit."""
        return None if self._limit is None else part * self.left

    def has_time_for(self, seconds: float) -> bool:
        """Whether something that takes about so long ends within the limit."""
        return seconds < self.left

    def tell(self, stage: str, done: float, words: str) -> None:
        """Tells how far a stage is."""
        if self._progress is not None:
            self._progress(stage, min(1.0, max(0.0, done)), words)
