"""Bars: what is asked of a figure, and whether it was reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.ways.record import Entry

#: A figure of an entry; None where what it needs was not run.
Figure = Callable[[Entry], float | None]


@dataclass(frozen=True)
class Bar:
    """What is asked of a problem: a figure that is at least, or at most, a limit."""

    problem: str
    words: str
    figure: Figure
    limit: float
    is_least: bool

    def is_met(self, value: float) -> bool:
        """Whether a value is on the right side of the limit."""
        return value >= self.limit if self.is_least else value <= self.limit


def at_least(problem: str, limit: float, way: str, ours: str) -> Bar:
    """A peer takes so many times as long as Mercer."""
    return Bar(problem, f"{way} ÷ {ours}", lambda entry: entry.ratio(way, ours), limit, is_least=True)


def at_most(problem: str, limit: float, way: str, other: str) -> Bar:
    """A way takes at most so many times as long as another."""
    return Bar(problem, f"{way} ÷ {other}", lambda entry: entry.ratio(way, other), limit, is_least=False)


def within_seconds(problem: str, limit: float, way: str) -> Bar:
    """A way takes at most so many seconds."""

    def seconds(entry: Entry) -> float | None:
        showing = entry.of(way)
        return None if showing is None else showing.time

    return Bar(problem, f"{way}, seconds", seconds, limit, is_least=False)


def figure_at_most(problem: str, limit: float, way: str, name: str) -> Bar:
    """A figure of a way is at most a limit."""

    def figure(entry: Entry) -> float | None:
        showing = entry.of(way)
        return None if showing is None else showing.figure(name)

    return Bar(problem, f"{way}, {name}", figure, limit, is_least=False)
