"""What `mercer train` reaches on tables as people have them, beside pipelines written by hand and skrub's."""

from __future__ import annotations

import math
from functools import partial

from benchmarks.files.accuracy import OURS, TABLES, WAYS, compare_accuracy
from benchmarks.ways.bars import Bar
from benchmarks.ways.book import installed
from benchmarks.ways.race import Terms, tell
from benchmarks.ways.record import Entry, Seconds, Showing
from benchmarks.ways.section import Measured, Section

_, *PEERS = WAYS
SCORE, ERROR, AHEAD, AHEAD_ERROR = "score", "standard error", "mercer ahead by", "standard error of that"

# Of splits that nobody looked at when the grid of small tables was chosen.
_SEED = 100

TOLD = """\
At most 5,000 training rows of each table, the same for all, and test rows that no way saw: accuracy, or R² of \
bike-sharing-hour. Small tables are split anew ten times, and figures are means. *ColumnTransformer*: numbers filled \
and scaled, categories one-hot, and `GridSearchCV` around scikit-learn's `SVC` or `SVR`, 30 cells on five folds; \
*skrub*: its `tabular_pipeline` with the defaults of `SVC` and `SVR`. Mercer's time has the figures of its report in \
it: baselines, importance, curves. Features of whole numbers in steps and of words in free text were added after a \
look at titanic and bike-sharing-hour, and the grid of tables of up to 1,000 rows was chosen on other splits of \
titanic and credit-g."""


def _measured(name: str, terms: Terms) -> Measured:
    ways = tuple(way for way in WAYS if "skrub" not in way or installed("skrub") is not None)
    showings, size = [], ""
    for found in compare_accuracy(terms.data, (name,), ways, seed=_SEED):
        size = f"{found['rows']:,} rows, {found['test_rows']:,} test rows, {found['draws']} split(s)"
        figures: dict[str, float | str] = {SCORE: found["score"], ERROR: found["error"]}
        if found["way"] != OURS:
            known = {AHEAD: found["ahead"], AHEAD_ERROR: found["ahead_error"]}
            figures |= {key: value for key, value in known.items() if math.isfinite(value)}
        tell(f"  {found['way']:34} {found['score']:.4f} {found['seconds']:8.3f} s")
        showings.append(Showing(found["way"], [Seconds(found["seconds"], 0.0)], 1.0, figures))
    return Measured(size, showings)


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
