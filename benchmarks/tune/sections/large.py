"""Rows whose kernel matrix is beyond the memory: time and peak memory beside fits one by one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from numpy.typing import NDArray

from benchmarks.dataset import Dataset
from benchmarks.markdown import table
from benchmarks.remote import RemoteLibrary
from benchmarks.tune.compare import choice, largest_difference
from benchmarks.tune.race import Terms, tell, wants_more
from benchmarks.tune.record import Entry, Showing
from benchmarks.tune.searches import ALONE
from benchmarks.tune.sections.section import Section
from benchmarks.tune.sections.words import NOT_RUN, params_of, ratio_of, score_of, size, time_of
from benchmarks.tune.tasks import Task, many_rows
from benchmarks.tune.worker import BOUNDED, MEMORY, Searched

TOLD = f"""\
`mercer.GridSearchCV(SVC(), memory={MEMORY})` and scikit-learn's `GridSearchCV(mercer.SVC())`, each in a process of \
its own. *peak*: the most memory in the first search above that with the data loaded; *data* are the \
training rows themselves."""


def run(task: Task, dataset: Dataset, terms: Terms) -> list[Showing]:
    """Both ways in turn."""
    answers: dict[str, list[Searched]] = {BOUNDED: [], ALONE: []}
    data_mb = sum(part.nbytes for part in _parts(dataset)) / 1e6
    with ExitStack() as stack:
        processes = {}
        for way in answers:
            command = ["benchmarks.tune.worker", way, str(terms.data), str(terms.rows or 0), task.name]
            processes[way] = RemoteLibrary(command, terms.threads)
            stack.callback(processes[way].close)
        while waiting := [way for way, done in answers.items() if wants_more([one.seconds for one in done], terms)]:
            for way in waiting:
                answers[way].append(processes[way].ask("search", terms.threads))
                tell(f"  {way:22} {answers[way][-1].seconds:8.2f} s")
    return [
        Showing(way, [one.seconds for one in done], done[0].found, {"peak_mb": done[0].peak_mb, "data_mb": data_mb})
        for way, done in answers.items()
    ]


def _parts(dataset: Dataset) -> list[NDArray[Any]]:
    X: Any = dataset.X_train
    return [X] if dataset.storage == "dense" else [X.data, X.indices, X.indptr]


def tables(entries: Sequence[Entry]) -> str:
    """A row for each problem."""
    head = ["problem", "rows × features", "cells × folds", "mercer", "mercer.SVC alone", "÷ mercer"]
    head += ["data", "peak", "peak alone", "choice", "score", "alone's choice", "difference"]
    return table(head, [_row(entry) for entry in entries])


def _row(entry: Entry) -> list[str]:
    problem, ours, alone = entry.problem, entry.found(BOUNDED), entry.found(ALONE)
    told = [problem.name, size(problem), f"{problem.cells} × {problem.folds}"]
    told += [time_of(entry, BOUNDED), time_of(entry, ALONE), ratio_of(entry, ALONE, BOUNDED)]
    told += [_megabytes(entry, BOUNDED, "data_mb"), *(_megabytes(entry, way, "peak_mb") for way in (BOUNDED, ALONE))]
    if ours is None or alone is None:
        return [*told, *[NOT_RUN] * 4]
    difference = f"{largest_difference(ours, alone):.1g}"
    return [*told, params_of(ours), score_of(ours), choice(ours, alone).value, difference]


def _megabytes(entry: Entry, way: str, figure: str) -> str:
    showing = entry.of(way)
    return NOT_RUN if showing is None else f"{showing.figures[figure]:.3g} MB"


LARGE = Section("Rows beyond the memory", TOLD, many_rows, run, tables)
