"""What Mercer's linear machines mean to reach, and how far the measurements say they did."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf

from benchmarks.linear.ladders import DESCENT_PASSES, descent_rungs, named
from benchmarks.linear.libraries import SOLVERS
from benchmarks.linear.record import Entry
from benchmarks.linear.results import after_passes, at_default, of_kernel_machines, peak_mb, share_after
from benchmarks.linear.tasks import Rung
from benchmarks.markdown import NONE, times


@dataclass(frozen=True)
class Figure:
    """A number and what it belongs to; where it is a bound the true one is no less."""

    label: str
    value: float
    is_bound: bool = False

    def __str__(self) -> str:
        return f"{'> ' * self.is_bound}{times(self.value)} ({self.label})"


@dataclass(frozen=True)
class Target:
    """A promise about figures: each lies between ``least`` and ``most``."""

    promise: str
    figures: Callable[[Iterable[Entry]], list[Figure]]
    least: float = 0.0
    most: float = inf

    def row(self, entries: Iterable[Entry]) -> list[str]:
        """Promise, bound, what was reached (all that fell short, else the worst) and the word for it."""
        figures = sorted(self.figures(entries), key=lambda figure: figure.value, reverse=self.most < inf)
        short = [figure for figure in figures if not self.least <= figure.value <= self.most]
        if not figures:
            word = "not measured"
        elif not short:
            word = f"met, in all {len(figures)}" if len(figures) > 1 else "met"
        elif all(figure.is_bound for figure in short):
            word = "open: killed before it was decided"
        else:
            word = f"missed, in {sum(not figure.is_bound for figure in short)} of {len(figures)}"
        bound = f"at least {self.least:g}" if self.most == inf else f"at most {self.most:g}"
        return [self.promise, bound, ", ".join(map(str, short or figures[:1])) or NONE, word]


def _defaults(beginning: str, peer: str) -> Callable[[Iterable[Entry]], list[Figure]]:
    """Ratios to the value of a peer's default fit, of all problems whose names begin so."""

    def figures(entries: Iterable[Entry]) -> list[Figure]:
        chosen = [entry for entry in entries if f"{entry.problem.name}-".startswith(beginning)]
        return [figure for entry in chosen if (figure := _default(entry, peer)) is not None]

    return figures


def _default(entry: Entry, peer: str) -> Figure | None:
    both = at_default(entry, peer)
    if entry.problem.task.is_descent or entry.of("mercer") is None or both.theirs is None:
        return None
    if both.ratio is None:
        # A killed peer has no value to reach; of one that ended, it is below all of Mercer's.
        return None if both.theirs.is_bound else Figure(f"{entry.problem.name}, its value not reached", 0.0)
    return Figure(entry.problem.name, both.ratio.value, both.ratio.is_bound)


def _kernel_machines(entries: Iterable[Entry]) -> list[Figure]:
    return [
        Figure(entry.problem.name, ratio.value, ratio.is_bound)
        for entry in entries
        if entry.problem.task.is_kernel_machine and (ratio := of_kernel_machines(entry, "sklearn").ratio) is not None
    ]


def _megabytes(entries: Iterable[Entry]) -> list[Figure]:
    forest = [entry for entry in entries if entry.problem.name.startswith("covtype-")]
    return [Figure(entry.problem.name, peak) for entry in forest if (peak := peak_mb(entry)) is not None]


def _passes(entries: Iterable[Entry]) -> list[Figure]:
    return [
        Figure(f"{entry.problem.name}, {rung}", ratio.value, ratio.is_bound)
        for entry in entries
        if entry.problem.task.is_descent
        for rung in descent_rungs()
        if (ratio := after_passes(entry, "sklearn", rung).ratio) is not None
    ]


def _shares(entries: Iterable[Entry]) -> list[Figure]:
    return [
        Figure(entry.problem.name, share)
        for entry in entries
        if entry.problem.task.is_descent and (share := share_after(entry, "mercer", NEAR)) is not None
    ]


#: The descent that means to come near the optimum. The default rate does not, in either library.
NEAR = Rung("invscaling", 0.0, max(DESCENT_PASSES))

#: How problems begin, and how many times Mercer means to be faster than LIBLINEAR's default fit on each of them.
RATIOS = {
    "covtype-hinge": 200,
    "covtype-squared_hinge": 10,
    "a9a": 4,
    "susy-30k-hinge": 15,
    "cadata-epsilon_insensitive": 25,
    "w8a": 1.5,
    "20newsgroups": 1.5,
}

TARGETS = (
    *(
        Target(f"{name}, to the value of {peer}'s default", _defaults(f"{name}-", peer), least)
        for name, least in RATIOS.items()
        for peer in SOLVERS
    ),
    *(Target(f"nowhere slower than {peer}'s default", _defaults("", peer), 1) for peer in SOLVERS),
    Target("`SVC(kernel=\"linear\")`, sklearn's time over Mercer's", _kernel_machines, 200),
    Target("SGD, sklearn's time over Mercer's for the same passes", _passes, 1),
    Target(f"SGD, share above the optimum after {NEAR.passes} passes, {named(NEAR.solver)}", _shares, most=0.01),
    Target("covtype, MB above the data", _megabytes, most=400),
)
