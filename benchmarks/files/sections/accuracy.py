"""What `mercer train` reaches on tables as people have them, beside pipelines written by hand and skrub's."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.files.accuracy import TABLES, WAYS, prepared
from benchmarks.ways.bars import Bar
from benchmarks.ways.race import Terms, Way, race
from benchmarks.ways.record import Entry
from benchmarks.ways.section import Measured, Section

OURS, *PEERS = WAYS
SCORE, ERROR = "score", "standard error"

TOLD = """\
At most 5,000 training rows of each table, the same for all, and test rows that no way saw: accuracy, or R² of \
bike-sharing-hour. *ColumnTransformer*: numbers filled and scaled, categories one-hot, and `GridSearchCV` around \
scikit-learn's `SVC` or `SVR`, 30 cells on five folds; *skrub*: its `tabular_pipeline` with the defaults of `SVC` and \
`SVR`. Mercer's time has its report's figures in it: baselines, importance, curves. Features of whole numbers in steps \
and of words were added after a look at titanic and bike-sharing-hour, on other splits of their rows."""


def _measured(name: str, terms: Terms) -> Measured:
    table = prepared(terms.data, name, terms.rows)
    ways = [Way(way, partial(table.predicted, learn)) for way, learn in WAYS.items()]

    def judge(way: Way, predicted: Any, _: Any) -> dict[str, float | str]:
        score, error = table.score(predicted)
        return {SCORE: score, ERROR: error}

    return Measured(f"{len(table.train):,} rows, {len(table.test):,} test rows", race(ways, terms, judge))


def _ahead(peer: str, entry: Entry) -> float | None:
    ours, theirs = entry.of(OURS), entry.of(peer)
    return None if ours is None or theirs is None else float(ours.figures[SCORE]) - float(theirs.figures[SCORE])


ACCURACY = Section(
    "What is reached",
    TOLD,
    {name: partial(_measured, name) for name in TABLES},
    tuple(
        Bar(name, f"{SCORE}, less that of {peer}", partial(_ahead, peer), 0, is_least=True)
        for name in TABLES
        for peer in PEERS
    ),
)
