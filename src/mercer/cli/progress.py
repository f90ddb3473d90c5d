"""How far a run is as a whole: its stages take shares of the time, and each tells how far it is by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter

__all__ = ["TRAINING", "TUNING", "Course", "time_told"]

#: Stages and their shares of the time, by measurement on tables of a few hundred to a few thousand rows.
TRAINING = {
    "read": 0.04,
    "encode": 0.03,
    "search": 0.62,
    "fit": 0.10,
    "evaluate": 0.01,
    "baselines": 0.13,
    "importance": 0.05,
    "gather": 0.02,
}
TUNING = {stage: TRAINING[stage] for stage in ("read", "encode", "search")}

# What the first round of a stage is of it, and each further one of what is left: a search that has looked at all it
# knew of often finds more to look at, and tells of that from the start again.
_ROUND = 0.6
# How far back a stage goes where it begins a round, and not only counts anew.
_BACK = 0.05
# Below this share of the whole, what is left is anybody's guess.
_TELLING = 0.05


class Course:
    """The course of a run, which never goes back: where a stage begins again, it goes through what is left of it.

    Parameters
    ----------
    shares : mapping of str to float
        Stages in their order, and what part of the time each takes, in any unit.
    limit : float, optional
        Seconds after which the run ends in any case.
    clock : callable
        Seconds from some moment on.
    """

    def __init__(
        self, shares: Mapping[str, float], limit: float | None = None, clock: Callable[[], float] = perf_counter
    ) -> None:
        self._shares, self._limit, self._clock = shares, limit, clock
        self._began, self.done = clock(), 0.0
        self._stage, self._base, self._last = "", 0.0, 0.0

    def reach(self, stage: str, done: float) -> float:
        """How much of the whole is done, from 0 to 1, where so much of a stage is."""
        done = min(1.0, max(0.0, done))
        if stage != self._stage:
            self._stage, self._base = stage, 0.0
        elif done < self._last - _BACK:
            self._base += (1 - self._base) * _ROUND * self._last
        self._last = done
        within = self._base + (1 - self._base) * _ROUND * done
        before = 0.0
        for name, share in self._shares.items():
            if name == stage:
                self.done = max(self.done, (before + share * within) / sum(self._shares.values()))
            before += share
        return self.done

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return self._clock() - self._began

    @property
    def seconds_left(self) -> float | None:
        """Until it ends, at the pace so far; None where there is too little to tell it by."""
        if self.done < _TELLING:
            return None
        expected = self.seconds * (1 - self.done) / self.done
        return expected if self._limit is None else min(expected, max(0.0, self._limit - self.seconds))


def time_told(seconds: float) -> str:
    """A time as people read it.

    Examples
    --------
    >>> time_told(7.4), time_told(125), time_told(7200)
    ('7 s', '2:05 min', '2:00 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    minutes = whole // 60
    return f"{minutes // 60}:{minutes % 60:02d} h"
