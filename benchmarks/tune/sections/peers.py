"""Mercer's search beside scikit-learn's: time, scores, bounds and the choice."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import geometric_mean

from benchmarks.dataset import Dataset
from benchmarks.markdown import table, times
from benchmarks.tune.compare import choice, largest_difference, outside, width_at_choice
from benchmarks.tune.race import Terms, race, warm_up
from benchmarks.tune.record import Entry, Found, Showing
from benchmarks.tune.searches import ALONE, OURS, PEER, SETTLED, UNSETTLED, by_mercer, by_scikit_learn, one_by_one
from benchmarks.tune.sections.section import Section
from benchmarks.tune.sections.words import (
    NOT_RUN,
    params_of,
    proof_of,
    ratio_of,
    score_of,
    size,
    time_of,
)
from benchmarks.tune.tasks import Task, five_by_five, ten_by_ten

TOLD = """\
`mercer.GridSearchCV(SVC())` as it is (*default*), with `settle=False` and with `settle=True`; scikit-learn's \
`GridSearchCV(svm.SVC(), n_jobs=…)` with a process for each thread; and scikit-learn's `GridSearchCV(mercer.SVC())`, \
which fits every cell alone. Seconds are those of the whole `fit`, the last one on all rows included; ratios are a \
peer's time divided by Mercer's.

Scores are means over the folds. *proven*: whether the certificate leaves no cell that may be better. *width*: between \
the bounds of the choice. *difference*: the largest between Mercer's and the peer's score of a cell. *outside*: cells \
whose score is not within Mercer's bounds, which are those of the exact machines: the scores of `settle=True`, which \
solves rivals exactly, within the bounds of `settle=False`, and scikit-learn's, whose machines are not exact, within \
those of the default."""


def run(task: Task, dataset: Dataset, terms: Terms) -> list[Showing]:
    """All ways; those of scikit-learn on a long problem only where that was asked for."""
    makers = {
        OURS: lambda: by_mercer(task, terms.threads),
        UNSETTLED: lambda: by_mercer(task, terms.threads, settle=False),
        SETTLED: lambda: by_mercer(task, terms.threads, settle=True),
    }
    if terms.is_long or not task.is_long:
        makers |= {PEER: lambda: by_scikit_learn(task, terms.threads), ALONE: lambda: one_by_one(task)}
    warm_up(*makers.values())

    def judge(search: object) -> dict[str, float]:
        return {"accuracy": float(search.score(dataset.X_test, dataset.y_test))}  # type: ignore[attr-defined]

    return race(makers, dataset.X_train, dataset.y_train, terms, judge)


def tables(entries: Sequence[Entry]) -> str:
    """Times, and then scores and choices."""
    return f"{_times(entries)}\n\n{_scores(entries)}"


_RATIOS = [(PEER, OURS), (PEER, UNSETTLED), (ALONE, OURS), (ALONE, UNSETTLED)]


def _times(entries: Sequence[Entry]) -> str:
    ours = [OURS, UNSETTLED, SETTLED]
    over = [f"÷ {way}" for way in (OURS, UNSETTLED)]
    head = ["problem", "rows × features", *ours, "svm.SVC", *over, "mercer.SVC alone", *over]
    rows = []
    for entry in entries:
        problem, ratios = entry.problem, [ratio_of(entry, *pair) for pair in _RATIOS]
        told = [time_of(entry, way) for way in ours]
        peer, alone = time_of(entry, PEER), time_of(entry, ALONE)
        rows.append([problem.name, size(problem), *told, peer, *ratios[:2], alone, *ratios[2:]])
    if len(rows) > 1:
        means = [_mean(entries, *pair) for pair in _RATIOS]
        rows.append(["**geometric mean**", "", "", "", "", "", *means[:2], "", *means[2:]])
    return table(head, rows)


def _mean(entries: Sequence[Entry], way: str, other: str) -> str:
    ratios = [ratio for entry in entries if (ratio := entry.ratio(way, other)) is not None]
    if not ratios:
        return NOT_RUN
    return f"**{times(geometric_mean(ratios))}**" + (f" ({len(ratios)})" if len(ratios) < len(entries) else "")


def _scores(entries: Sequence[Entry]) -> str:
    head = ["problem", "choice", "score", "width"]
    head += [f"proven, {way}" for way in (UNSETTLED, OURS, SETTLED)]
    head += ["svm.SVC's choice", "difference", "mercer.SVC's choice", "difference"]
    head += [f"{SETTLED} outside", "svm.SVC outside"]
    return table(head, [_scores_of(entry) for entry in entries if entry.found(OURS) is not None])


def _scores_of(entry: Entry) -> list[str]:
    ours, unsettled, settled = (entry.found(way) for way in (OURS, UNSETTLED, SETTLED))
    peer, alone = entry.found(PEER), entry.found(ALONE)
    assert ours is not None
    width = width_at_choice(ours)
    told = [entry.problem.name, params_of(ours), score_of(ours), "unknown" if width is None else f"{width:.1g}"]
    told += [proof_of(found) for found in (unsettled, ours, settled)]
    told += [*_beside(ours, peer), *_beside(ours, alone)]
    return [*told, _outside(settled, unsettled), _outside(peer, ours)]


def _beside(ours: Found, other: Found | None) -> list[str]:
    if other is None:
        return [NOT_RUN, NOT_RUN]
    return [choice(ours, other).value, f"{largest_difference(ours, other):.1g}"]


def _outside(found: Found | None, bounds: Found | None) -> str:
    return NOT_RUN if found is None or bounds is None else f"{outside(found, bounds)} of {len(bounds.low)}"


FIVE_BY_FIVE = Section("5 × 5 cells, 5 folds", TOLD, five_by_five, run, tables)
TEN_BY_TEN = Section(
    "10 × 10 cells, 5 folds",
    "The same ways and the same ranges, with ten values of each parameter. Scikit-learn's side of the larger problem "
    "runs with `--long` only.",
    ten_by_ten,
    run,
    tables,
)
