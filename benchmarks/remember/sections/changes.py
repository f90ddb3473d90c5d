"""What it costs to choose the number of neighbours, and to learn or forget a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.ways import rows
from benchmarks.ways.bars import Bar, Figure, at_most
from benchmarks.ways.race import Terms, Way, race
from benchmarks.ways.record import Entry
from benchmarks.ways.section import Measured, Section
from mercer import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

SEARCH, ALL = "one search, k = 100", "all k up to 100"
REFIT, QUERY = "fit, a query", "a query"
LEARNT, FORGOTTEN = "a row learnt, a query", "a row forgotten, a query"
_MOST = 100

TOLD = """\
*all k*: `n_neighbors="auto"`, which leaves each row out for every number of neighbours up to 100, beside the search \
for the 100 neighbours of all rows. *a row*: `partial_fit` of one row or `forget` of one, beside a fit of all rows; \
each with a query after it, as an index is made when it is first asked. What a row costs is its time less that of the \
query alone, over that of the fit less that of the query."""


def _all_k(name: str, model: Any, terms: Terms, numbers: bool = False) -> Measured:
    found = rows.read(name, terms, numbers=numbers)
    X, y = found.X_train, found.y_train
    options: dict[str, Any] = {"n_jobs": terms.threads}
    k = min(_MOST, len(X) - 1)
    ways = [
        Way(SEARCH, lambda: NearestNeighbors(n_neighbors=k, **options).fit(X), lambda fitted: fitted.kneighbors()),
        Way(ALL, lambda: model("auto", **options).fit(X, y)),
    ]
    return Measured(f"{X.shape[0]:,} × {X.shape[1]:,}", race(ways, terms))


def _a_row(name: str, scaling: data.Scaling, terms: Terms) -> Measured:
    found = rows.read(name, terms, scaling)
    X, y, query = found.X_train, found.y_train, found.X_test[:1]

    def fitted() -> Any:
        return KNeighborsClassifier(n_jobs=terms.threads).fit(X, y)

    # A model for each, so that none has the changes of the other; numbers that are never forgotten are rows 0 to n − 2.
    models = {way: fitted() for way in (QUERY, LEARNT, FORGOTTEN)}
    for model in models.values():
        model.predict(query)
    random = np.random.default_rng(0)

    def learnt() -> Any:
        row = int(random.integers(len(X)))
        return models[LEARNT].partial_fit(X[row : row + 1], y[row : row + 1])

    def forgotten() -> Any:
        return models[FORGOTTEN].forget([int(random.integers(models[FORGOTTEN].n_samples_fit_))])

    def way(name: str, prepare: Any) -> Way:
        return Way(name, prepare, lambda model: model.predict(query))

    ways = [
        way(REFIT, fitted),
        way(QUERY, lambda: models[QUERY]),
        way(LEARNT, learnt),
        way(FORGOTTEN, forgotten),
    ]
    return Measured(f"{X.shape[0]:,} × {X.shape[1]:,}", race(ways, terms))


def _cost_of(way: str) -> Figure:
    def figure(entry: Entry) -> float | None:
        shown = [entry.of(name) for name in (way, QUERY, REFIT)]
        if any(one is None for one in shown):
            return None
        changed, query, refit = (one.time for one in shown if one is not None)
        return (changed - query) / (refit - query) if refit > query else None

    return figure


def _bars(problem: str) -> list[Bar]:
    words = {LEARNT: "a row learnt ÷ a fit", FORGOTTEN: "a row forgotten ÷ a fit"}
    return [Bar(problem, told, _cost_of(way), 0.02, is_least=False) for way, told in words.items()]


CHANGES = Section(
    "All numbers of neighbours, rows that come and go",
    TOLD,
    {
        "all k, letter": lambda terms: _all_k("letter", KNeighborsClassifier, terms),
        "all k, cadata": lambda terms: _all_k("cadata", KNeighborsRegressor, terms, numbers=True),
        "a row, fashion-mnist": lambda terms: _a_row("fashion-mnist", data.unscaled, terms),
        "a row, letter": lambda terms: _a_row("letter", data.standardised, terms),
    },
    (
        at_most("all k, letter", 1.2, ALL, SEARCH),
        at_most("all k, cadata", 1.2, ALL, SEARCH),
        *_bars("a row, fashion-mnist"),
        *_bars("a row, letter"),
    ),
)
