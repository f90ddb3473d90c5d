"""What a pipeline and a checkpoint cost, and whether a time limit is kept."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.dataset import Dataset
from benchmarks.markdown import seconds, table, times
from benchmarks.tune.race import Terms, race, seconds_of, tell, wants_more, warm_up
from benchmarks.tune.record import Entry, Found, Showing, found_by
from benchmarks.tune.searches import by_mercer
from benchmarks.tune.sections.section import Section
from benchmarks.tune.sections.words import ratio_of, time_of
from benchmarks.tune.tasks import Task, five_by_five
from mercer import SVC
from mercer.errors import ParameterError

BARE, PIPELINE, WRITTEN, RESUMED = "bare", "pipeline", "checkpoint", "resumed"
# Shares of the time of the bare search that a time limit asks for.
SHARES = (0.5, 0.2)
_LIMIT = "time_limit"

TOLD = """\
The cells and folds of section A by the default search of `SVC()` (*bare*) and of `make_pipeline(StandardScaler(), \
SVC())`; with a checkpoint that is written, and resumed from one that is finished; and with a time limit of a share of \
the bare search's time. *kept*: the time of the whole `fit` divided by the limit. *cells*: those that were done on \
all folds; where none was, the search ended with an error that says so."""


def run(task: Task, dataset: Dataset, terms: Terms) -> list[Showing]:
    """The bare search, its variations, and then time limits, which are shares of its time."""
    X, y = dataset.X_train, dataset.y_train
    piped = {f"svc__{name}": values for name, values in task.grid.items()}

    def bare(**options: Any) -> Any:
        return by_mercer(task, terms.threads, **options)

    def pipeline() -> Any:
        return bare(machine=make_pipeline(StandardScaler(), SVC()), param_grid=piped)

    warm_up(bare, pipeline)
    with tempfile.TemporaryDirectory() as folder:
        fresh, done = _fresh_paths(Path(folder)), Path(folder) / "done.jsonl"
        bare(checkpoint=done).fit(X, y)
        makers = {
            BARE: bare,
            PIPELINE: pipeline,
            WRITTEN: lambda: bare(checkpoint=fresh()),
            # A copy: a search may add to the file, and the next one would find more than the first.
            RESUMED: lambda: bare(checkpoint=shutil.copy(done, fresh())),
        }
        showings = race(makers, X, y, terms)
    limits = {f"{_LIMIT} {share}": share * showings[0].time for share in SHARES}
    return [*showings, *(_limited(bare, asked, way, X, y, terms) for way, asked in limits.items())]


def _fresh_paths(folder: Path) -> Callable[[], Path]:
    numbers = count()
    return lambda: folder / f"{next(numbers)}.jsonl"


def _limited(make: Callable[..., Any], asked: float, way: str, X: Any, y: Any, terms: Terms) -> Showing:
    """A search that is to end in so many seconds."""
    spent: list[float] = []
    found: Found | None = None
    while wants_more(spent, terms):
        search = make(time_limit=asked)
        began = perf_counter()
        try:
            spent.append(seconds_of(search, X, y))
            found = found_by(search)
        except ParameterError:
            spent.append(perf_counter() - began)
        tell(f"  {way:22} {spent[-1]:8.2f} s of {asked:.2f} s")
    return Showing(way, spent, found, {"asked": asked})


def tables(entries: Sequence[Entry]) -> str:
    """A row for each problem."""
    head = ["problem", BARE, *(f"{way} ÷ {BARE}" for way in (PIPELINE, WRITTEN, RESUMED))]
    for share in SHARES:
        head += [f"limit of {share:g}", "kept", "cells"]
    return table(head, [_row(entry) for entry in entries])


def _row(entry: Entry) -> list[str]:
    ratios = [ratio_of(entry, way, BARE) for way in (PIPELINE, WRITTEN, RESUMED)]
    told = [entry.problem.name, time_of(entry, BARE), *ratios]
    for share in SHARES:
        limited = entry.of(f"{_LIMIT} {share}")
        assert limited is not None
        asked, found = limited.figures["asked"], limited.found
        done = 0 if found is None else sum(score is not None for score in found.scores)
        told += [seconds(asked), times(median(limited.seconds) / asked), f"{done} of {entry.problem.cells}"]
    return told


EXTRAS = Section("Pipelines, checkpoints, time limits", TOLD, five_by_five, run, tables)
