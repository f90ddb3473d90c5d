"""TorchKM's own job beside the times that it publishes."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.dataset import Dataset
from benchmarks.markdown import NONE, number, seconds, table, times
from benchmarks.tune.mixture import width
from benchmarks.tune.race import Terms, race, warm_up
from benchmarks.tune.record import Entry, Showing
from benchmarks.tune.searches import OURS, by_mercer
from benchmarks.tune.sections.section import Section
from benchmarks.tune.sections.words import params_of, proof_of, score_of, size
from benchmarks.tune.tasks import LAMBDAS, Task, torchkm
from mercer import SVC

# arXiv 2606.06742, table 2: seconds for so many rows, by the number of features.
PUBLISHED_ROWS = 10_000
PUBLISHED = {10: 23.3, 100: 17.9, 1_000: 37.7}

TOLD = f"""\
50 values of C on 10 folds, one gamma: two mixtures of Gaussians made as TorchKM makes them, its width of the kernel, \
and C = 1 ÷ (2 n λ) for its λ from {number(LAMBDAS[1])} to {number(LAMBDAS[0])}. *published*: TorchKM's seconds in \
table 2 of arXiv 2606.06742, on an NVIDIA L40S, for other draws from the same mixtures."""


def run(task: Task, dataset: Dataset, terms: Terms) -> list[Showing]:
    """The default search."""
    machine = SVC(gamma=width(dataset.X_train))
    maker = {OURS: lambda: by_mercer(task, terms.threads, machine)}
    warm_up(*maker.values())
    return race(maker, dataset.X_train, dataset.y_train, terms)


def tables(entries: Sequence[Entry]) -> str:
    """A row for each number of features."""
    head = ["problem", "rows × features", "C", "mercer", "published", "published ÷ mercer", "choice", "score", "proven"]
    return table(head, [_row(entry) for entry in entries])


def _row(entry: Entry) -> list[str]:
    problem, showing = entry.problem, entry.of(OURS)
    assert showing is not None
    assert showing.found is not None
    found, published = showing.found, published_seconds(problem.rows, problem.features)
    values = [1 / (2 * problem.rows * weight) for weight in reversed(LAMBDAS)]
    return [
        *(problem.name, size(problem), " … ".join(map(number, values)), seconds(showing.time), seconds(published)),
        NONE if published is None else times(published / showing.time),
        *(params_of(found), score_of(found), proof_of(found)),
    ]


def published_seconds(rows: int, features: int) -> float | None:
    """What TorchKM publishes for this size."""
    return PUBLISHED.get(features) if rows == PUBLISHED_ROWS else None


TORCHKM = Section("TorchKM's job", TOLD, torchkm, run, tables)
