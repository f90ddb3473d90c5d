"""What Mercer means to reach, and how far the measurements say it did."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from statistics import median

from benchmarks.markdown import NONE, times
from benchmarks.record import Facts
from benchmarks.results import PEERS, Measure, Results, by_name, fit, predict, standard

_FOREST = "growth-covtype-100k"

#: Figures by what they belong to.
Figures = dict[str, float]


@dataclass(frozen=True)
class Target:
    """A promise about figures: each lies between ``least`` and ``most``."""

    promise: str
    figures: Callable[[Results], Figures]
    least: float = 0.0
    most: float = inf

    def row(self, results: Results) -> list[str]:
        """Promise, bound, what was reached (all that missed, else the worst) and the word for it."""
        bound = f"at least {self.least:g}" if self.most == inf else f"at most {self.most:g}"
        # Worst first.
        figures = sorted(self.figures(results).items(), key=lambda item: item[1], reverse=self.most < inf)
        missed = [item for item in figures if not self.least <= item[1] <= self.most]
        told = ", ".join(f"{times(value)} ({label})" for label, value in missed or figures[:1])
        word = "missed" if missed else "met" if figures else "not measured"
        return [self.promise, bound, told or NONE, word]


def _mean(measure: Measure, peer: str) -> Callable[[Results], Figures]:
    def figures(results: Results) -> Figures:
        mean = results.mean(results.large, peer, measure)
        if mean is None:
            return {}
        return {f"problems: {mean.count}{', a lower bound' * mean.is_bound}": mean.value}

    return figures


def _ratios(
    problems: Callable[[Results], Iterable[Facts]], measures: Iterable[Measure], peers: Iterable[str]
) -> Callable[[Results], Figures]:
    def figures(results: Results) -> Figures:
        return {
            f"{measure.__name__} of {facts.name} by {peer}": ratio.value
            for facts in problems(results)
            for measure in measures
            for peer in peers
            if (ratio := results.ratio(facts.name, peer, measure)) is not None
        }

    return figures


def _median_over_limit(results: Results) -> Figures:
    found = by_name(standard(results.large), results.fit_over_limit)
    return {f"problems: {len(found)}": median(found.values())} if found else {}


def _cold_over_warm(results: Results) -> Figures:
    return by_name(standard(results.large), results.cold_over_warm)


def _violations_over_tol(results: Results) -> Figures:
    # A fit that did not end is within no tolerance.
    return {
        f"{entry.library} on {entry.problem.name}": entry.verdict.violation / entry.conditions.tol
        if entry.verdict
        else inf
        for entry in results.entries
        if entry.library not in PEERS
    }


def _all(results: Results) -> list[Facts]:
    return results.problems


def _standard_small(results: Results) -> list[Facts]:
    return standard(results.small)


def _named(name: str) -> Callable[[Results], list[Facts]]:
    return lambda results: [facts for facts in results.problems if facts.name == name]


def _megabytes_of(name: str) -> Callable[[Results], Figures]:
    def figures(results: Results) -> Figures:
        entry = results.entry(name, "mercer")
        return {} if entry is None or entry.peak_mb is None else {name: entry.peak_mb}

    return figures


OTHER_TARGETS = (
    *(
        Target(f"{measure.__name__}, {peer}'s time over Mercer's, geometric mean", _mean(measure, peer), least)
        for measure, peer, least in (
            *((fit, "sklearn", 15), (fit, "skex64", 4), (fit, "skex32", 4)),
            *((predict, "sklearn", 60), (predict, "skex64", 5), (predict, "skex32", 3)),
        )
    ),
    Target("neither faster anywhere", _ratios(_all, (fit, predict), ("sklearn", "skex64", "skex32")), least=1),
    Target("violation over tol, everywhere", _violations_over_tol, most=1),
)

TARGETS = (
    *(
        Target(f"{measure.__name__}, {peer}'s time over Mercer's, geometric mean", _mean(measure, peer), least)
        for measure, peer, least in (
            *((fit, "sklearn", 25), (fit, "skex64", 8), (fit, "skex32", 5)),
            *((predict, "sklearn", 60), (predict, "skex64", 5), (predict, "skex32", 3)),
        )
    ),
    Target("no peer faster anywhere, its time over Mercer's", _ratios(_all, (fit, predict), PEERS), least=1),
    Target("small fits, sklearn's time over Mercer's", _ratios(_standard_small, (fit,), ("sklearn",)), least=2),
    Target("letter, sklearn's time over Mercer's", _ratios(_named("letter"), (fit,), ("sklearn",)), least=15),
    Target("covtype 100k, skex32's time over Mercer's", _ratios(_named(_FOREST), (fit,), ("skex32",)), least=4),
    Target("covtype 100k, MB above the data", _megabytes_of(_FOREST), most=500),
    Target("fit over the limit, median", _median_over_limit, most=5),
    Target("violation over tol, everywhere", _violations_over_tol, most=1),
    Target("first fit over a warm one", _cold_over_warm, most=1.5),
)
