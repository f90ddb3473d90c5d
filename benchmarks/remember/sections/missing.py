"""Missing values: neighbours over the features that two rows share, and values filled from neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn import impute, neighbors

import mercer
from benchmarks.remember.judge import largest_difference
from benchmarks.ways import rows
from benchmarks.ways.bars import at_least
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer.typing import Floats

#: Answers of a model to queries.
Ask = Callable[[Any, Floats], Floats]

PEER, DIFFERENCE = "scikit-learn", "largest difference"
_SHARE = 0.1
# Rows that scikit-learn is asked: all would take it a minute.
_FEW = 1_000

TOLD = """\
Standardised cadata without a tenth of the values. *regressor*: `KNeighborsRegressor(metric="nan_euclidean")`, fitted \
to the training rows and asked for the test rows. *imputer*: `KNNImputer`, fitted to the training rows and asked to \
fill them. *largest difference*: from scikit-learn's answers."""


def _measured(X: Floats, Q: Floats, fits: Mapping[str, Callable[[], Any]], ask: Ask, terms: Terms) -> Measured:
    """Mercer asked all queries, scikit-learn the first ones."""
    few = min(_FEW, len(Q))
    expected = ask(fits[PEER](), Q[:few])
    ways = [
        Way(OURS, fits[OURS], lambda model: ask(model, Q)),
        Way(PEER, fits[PEER], lambda model: ask(model, Q[:few]), few / len(Q)),
    ]

    def judge(way: Way, memory: Any, answer: Floats) -> dict[str, float | str]:
        return {DIFFERENCE: largest_difference(answer[:few], expected)} if way.name == OURS else {}

    return Measured(rows.size(X, Q), race(ways, terms, judge))


def _regressor(terms: Terms) -> Measured:
    found = rows.read("cadata", terms, numbers=True)
    X, Q = rows.with_holes(found.X_train, _SHARE), rows.with_holes(found.X_test, _SHARE, seed=1)
    # Scikit-learn takes means in the precision of the targets.
    y = found.y_train.astype(np.float64)
    options: dict[str, Any] = {"metric": "nan_euclidean", "n_jobs": terms.threads}
    fits = {
        OURS: lambda: mercer.KNeighborsRegressor(**options).fit(X, y),
        PEER: lambda: neighbors.KNeighborsRegressor(**options).fit(X, y),
    }
    return _measured(X, Q, fits, lambda model, queries: model.predict(queries), terms)


def _imputer(terms: Terms) -> Measured:
    X = rows.with_holes(rows.read("cadata", terms, numbers=True).X_train, _SHARE)
    fits = {OURS: lambda: mercer.KNNImputer().fit(X), PEER: lambda: impute.KNNImputer().fit(X)}
    return _measured(X, X, fits, lambda model, queries: model.transform(queries), terms)


MISSING = Section(
    "A tenth of the values missing",
    TOLD,
    {"regressor": _regressor, "imputer": _imputer},
    (at_least("regressor", 20, PEER, OURS), at_least("imputer", 30, PEER, OURS)),
)
