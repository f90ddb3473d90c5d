"""What the entries of a record say: ratios between libraries, their means, and the distance from the limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmarks.libraries import YARDSTICK, names
from benchmarks.record import Entry, Facts, Timing, warm

Measure = Callable[[Entry], Timing | None]

# Problems with fewer training rows are told apart: what counts there is the overhead of a call.
SMALL = 4_000
PEERS = tuple(name for name in names() if not name.startswith("mercer"))


def fit(entry: Entry) -> Timing | None:
    """Time of a warm fit."""
    return entry.fit


def predict(entry: Entry) -> Timing | None:
    """Time to predict the test rows."""
    return entry.prediction


def base(peer: str) -> str:
    """The entry of Mercer that a peer is compared with: the one that was given the same floats."""
    return "mercer32" if peer.endswith("32") else "mercer"


@dataclass(frozen=True)
class Ratio:
    """A peer's time divided by Mercer's.

    Attributes
    ----------
    is_bound : bool
        The peer was killed: the ratio is at least this.
    is_split : bool
        The two were measured in different races.
    """

    value: float
    is_bound: bool
    is_split: bool


@dataclass(frozen=True)
class Mean:
    """A geometric mean of ``count`` ratios, a lower bound where one of them is."""

    value: float
    count: int
    is_bound: bool


def geometric_mean(found: Iterable[Ratio | None]) -> Mean | None:
    """The mean of the ratios that there are."""
    ratios = [ratio for ratio in found if ratio is not None]
    if not ratios:
        return None
    value = math.exp(sum(math.log(ratio.value) for ratio in ratios) / len(ratios))
    return Mean(value, len(ratios), any(ratio.is_bound for ratio in ratios))


class Results:
    """Entries measured under the same conditions, in all or of some tasks."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = list(entries)
        self._by_key = {(entry.problem.name, entry.library): entry for entry in self.entries}

    def of(self, is_svc: bool) -> Results:
        """The part about C-SVC, or about the other tasks."""
        return Results(entry for entry in self.entries if (entry.problem.task == "svc") == is_svc)

    @property
    def problems(self) -> list[Facts]:
        """The problems, smallest first."""
        found = {entry.problem.name: entry.problem for entry in self.entries}
        return sorted(found.values(), key=lambda facts: (facts.rows, facts.name))

    @property
    def large(self) -> list[Facts]:
        """Problems of many rows that are not part of a series."""
        return [facts for facts in self.problems if facts.rows >= SMALL and not facts.series]

    @property
    def small(self) -> list[Facts]:
        """Problems of few rows."""
        return [facts for facts in self.problems if facts.rows < SMALL]

    def entry(self, problem: str, library: str) -> Entry | None:
        """A library's entry, if it raced."""
        return self._by_key.get((problem, library))

    def ratio(self, problem: str, peer: str, measure: Measure) -> Ratio | None:
        """A peer's time divided by Mercer's, if both are known."""
        theirs, ours = self.entry(problem, peer), self.entry(problem, base(peer))
        if theirs is None or ours is None:
            return None
        top, bottom = measure(theirs), measure(ours)
        if top is None or bottom is None or (top.is_bound and bottom.is_bound):
            return None
        return Ratio(top.seconds / bottom.seconds, top.is_bound, theirs.origin != ours.origin)

    def mean(self, problems: Iterable[Facts], peer: str, measure: Measure) -> Mean | None:
        """Geometric mean of a peer's ratios over the standard ones of the problems."""
        return geometric_mean(self.ratio(facts.name, peer, measure) for facts in standard(problems))

    def fit_over_limit(self, problem: str) -> float | None:
        """Mercer's warm fit divided by one evaluation of its machine on the training rows."""
        ours, yardstick = self.entry(problem, "mercer"), self.entry(problem, YARDSTICK)
        if ours is None or yardstick is None or not ours.fits or not yardstick.evaluations:
            return None
        return warm(ours.fits) / warm(yardstick.evaluations)

    def cold_over_warm(self, problem: str) -> float | None:
        """Mercer's first fit in a fresh process divided by a warm one."""
        ours = self.entry(problem, "mercer")
        return None if ours is None or len(ours.fits) < 2 else ours.fits[0] / warm(ours.fits)


def standard(problems: Iterable[Facts]) -> list[Facts]:
    """The problems that make up the means."""
    return [facts for facts in problems if facts.group in ("standard", "others")]


def by_name(problems: Iterable[Facts], figure: Callable[[str], float | None]) -> dict[str, float]:
    """A figure of each problem that has it."""
    found = {facts.name: figure(facts.name) for facts in problems}
    return {name: value for name, value in found.items() if value is not None}
