"""Ways that take turns, so that a slow minute of the machine hits all of them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.ways.record import Seconds, Showing

#: What Mercer's own way is called.
OURS = "mercer"
# What takes less is repeated until this is spent, so that a median is one of many.
_SHORT = 0.3
_MOST_REPETITIONS = 25
# Shorter repetitions than the first are not told: there are many of them.
_WORTH_TELLING = 0.1


@dataclass(frozen=True)
class Terms:
    """The terms of the race, the same for all.

    Attributes
    ----------
    data : Path
        Folder of the data.
    rows : int, optional
        At most so many rows, and so many queries, of each problem, to try things out.
    repetitions : int
        Of each way, the first of which is cold and does not count.
    budget : float
        Seconds after which a way is not repeated any more.
    """

    data: Path
    rows: int | None = None
    threads: int = 2
    repetitions: int = 4
    budget: float = 8.0

    def at_most(self, rows: int) -> int:
        """So many rows, or fewer where fewer were asked for."""
        return rows if self.rows is None else min(rows, self.rows)


def _nothing() -> None:
    return None


@dataclass(frozen=True)
class Way:
    """A way to answer the question of a problem.

    Attributes
    ----------
    prepare : callable
        Makes a memory of the rows.
    ask : callable
        Answers by it.
    share : float
        Of all queries, what ``ask`` answers: its seconds are divided by this.
    """

    name: str
    prepare: Callable[[], Any] = _nothing
    ask: Callable[[Any], Any] = lambda memory: memory
    share: float = 1.0


#: Figures of an answer by their names, and what it says in words.
Judge = Callable[[Way, Any, Any], dict[str, float | str]]


@dataclass
class _Runner:
    way: Way
    spent: list[Seconds] = field(default_factory=list)
    figures: dict[str, float | str] = field(default_factory=dict)

    def run(self, judge: Judge | None) -> None:
        began = perf_counter()
        memory = self.way.prepare()
        ready = perf_counter()
        answer = self.way.ask(memory)
        done = perf_counter()
        self.spent.append(Seconds(ready - began, done - ready))
        if len(self.spent) == 1 or done - began >= _WORTH_TELLING:
            tell(f"  {self.way.name:28} {ready - began:8.3f} s + {done - ready:8.3f} s")
        if judge is not None and len(self.spent) == 1:
            self.figures = judge(self.way, memory, answer)

    def wants_more(self, terms: Terms) -> bool:
        total = sum(one.fit + one.ask for one in self.spent)
        if not self.spent or total >= terms.budget:
            return not self.spent
        return len(self.spent) < terms.repetitions or (
            terms.repetitions > 1 and total < _SHORT and len(self.spent) < _MOST_REPETITIONS
        )


def race(ways: Iterable[Way], terms: Terms, judge: Judge | None = None) -> list[Showing]:
    """Let every way answer in turn, and again those that are quick; the first answer is what is judged."""
    runners = [_Runner(way) for way in ways]
    gc.collect()
    while waiting := [runner for runner in runners if runner.wants_more(terms)]:
        for runner in waiting:
            runner.run(judge)
    return [Showing(one.way.name, one.spent, one.way.share, one.figures) for one in runners]


def tell(text: str) -> None:
    """Progress, on stderr."""
    print(text, file=sys.stderr, flush=True)
