"""Searches that take turns, so that a slow minute of the machine hits all of them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from sklearn.datasets import make_classification

from benchmarks.tune.record import Found, Showing, found_by

#: Makes a search that was not fitted yet; called once for each repetition.
Maker = Callable[[], Any]
#: Other figures of a fitted search.
Judge = Callable[[Any], dict[str, float]]

# Rows that a search is warmed up with: modules are loaded and processes started before the clock runs.
_SAMPLE = 200


@dataclass(frozen=True)
class Terms:
    """The terms of the race, the same for all.

    Attributes
    ----------
    data : Path
        Folder of the data.
    rows : int, optional
        At most so many of each set, to try things out.
    repetitions : int
        Of each way.
    budget : float
        Seconds after which a way is not repeated any more.
    is_long : bool
        Whether scikit-learn runs also where it takes hours.
    """

    data: Path
    rows: int | None = None
    threads: int = 2
    repetitions: int = 3
    budget: float = 30.0
    is_long: bool = False


def race(makers: Mapping[str, Maker], X: Any, y: Any, terms: Terms, judge: Judge | None = None) -> list[Showing]:
    """Fit every search in turn, and again those that are quick; the first fit is what is judged."""
    seconds: dict[str, list[float]] = {way: [] for way in makers}
    found: dict[str, Found] = {}
    figures: dict[str, dict[str, float]] = {}
    while waiting := [way for way in makers if wants_more(seconds[way], terms)]:
        for way in waiting:
            search = makers[way]()
            seconds[way].append(seconds_of(search, X, y))
            tell(f"  {way:22} {seconds[way][-1]:8.2f} s")
            if way not in found:
                found[way] = found_by(search)
                figures[way] = {} if judge is None else judge(search)
    return [Showing(way, seconds[way], found[way], figures[way]) for way in makers]


def wants_more(seconds: list[float], terms: Terms) -> bool:
    """Whether a way is to be run again, after so many seconds."""
    return not seconds or (len(seconds) < terms.repetitions and sum(seconds) < terms.budget)


def seconds_of(search: Any, X: Any, y: Any) -> float:
    """Of the whole call of fit, the last fit on all rows included."""
    gc.collect()
    began = perf_counter()
    search.fit(X, y)
    return perf_counter() - began


def warm_up(*makers: Maker) -> None:
    """Let searches run on a few rows."""
    X, y = make_classification(_SAMPLE, random_state=0)
    for make in makers:
        make().fit(X, y)


def tell(text: str) -> None:
    """Progress, on stderr."""
    print(text, file=sys.stderr, flush=True)
