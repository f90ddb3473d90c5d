"""What strategies save of the whole grid, and what they choose."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.dataset import Dataset
from benchmarks.markdown import NONE, table
from benchmarks.tune.compare import choice, errors_below
from benchmarks.tune.race import Maker, Terms, race, warm_up
from benchmarks.tune.record import Entry, Found, Showing
from benchmarks.tune.searches import by_mercer
from benchmarks.tune.sections.section import Section
from benchmarks.tune.sections.words import params_of, proof_of, ratio_of, time_of
from benchmarks.tune.tasks import Task, five_by_five

WHOLE, OTHERS = "grid", ("race", "wilcoxon", "refine")

TOLD = f"""\
The cells and folds of section A by each `strategy`. *fits*: pairs of a cell and a fold that were \
looked at. *choice*: the same cell as that of `"{WHOLE}"`, one that scores as good there, or another. *below*: how far \
the choice scores below that of `"{WHOLE}"`, by the scores of `"{WHOLE}"`, in standard errors of the mean over the \
folds."""


def run(task: Task, dataset: Dataset, terms: Terms) -> list[Showing]:
    """All strategies."""

    def maker(strategy: str) -> Maker:
        return lambda: by_mercer(task, terms.threads, strategy=strategy)

    makers = {strategy: maker(strategy) for strategy in (WHOLE, *OTHERS)}
    warm_up(*makers.values())
    return race(makers, dataset.X_train, dataset.y_train, terms)


def tables(entries: Sequence[Entry]) -> str:
    """A row for each problem and strategy."""
    head = ["problem", "strategy", "time", f"÷ {WHOLE}", "fits", "parameters", "choice", "below", "proven"]
    return table(head, [row for entry in entries for row in _rows(entry)])


def _rows(entry: Entry) -> list[list[str]]:
    whole = entry.found(WHOLE)
    assert whole is not None
    rows = []
    for showing in entry.showings:
        found = showing.found
        assert found is not None
        same = [NONE, NONE] if showing.way == WHOLE else _beside(found, whole)
        figures = [time_of(entry, showing.way), ratio_of(entry, showing.way, WHOLE)]
        rows.append(
            [entry.problem.name, showing.way, *figures, f"{found.fits}", params_of(found), *same, proof_of(found)]
        )
    return rows


def _beside(found: Found, whole: Found) -> list[str]:
    return [choice(found, whole).value, f"{errors_below(found, whole):.2f}"]


STRATEGIES = Section("Strategies", TOLD, five_by_five, run, tables)
