"""Gaussian processes through inducing rows beside exact ones of fewer rows: time, memory, errors and densities."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.smooth.fitted import Fitted, fitted
from benchmarks.smooth.rows import eight_features
from benchmarks.ways import rows
from benchmarks.ways.bars import figure_at_most, within_seconds
from benchmarks.ways.race import Judge, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import RBF, GaussianProcessRegressor, SparseGaussianProcessRegressor, UnsolvedWarning, White
from mercer.typing import Floats, Integers

ROWS, QUERIES = 100_000, 5_000
EXACT = {f"exact, {count:,} rows": count for count in (2_000, 5_000)}
SPARSE = {f"{count:,} inducing rows": count for count in (500, 1_000)}
FEW, MANY = SPARSE
ERROR, DENSITY, LOWER, UPPER, LEFT, MEMORY = (
    *("RMSE", "mean log density", "lower bound", "upper bound", "trace left", "MB beside the data"),
)

TOLD = f"""\
A kernel with a length scale for each feature, and white noise, all learnt. *exact*: `GaussianProcessRegressor` on so \
many rows at random. The others are `SparseGaussianProcessRegressor` on all rows, with the defaults: centres of \
k-means. *{ERROR}* and *{DENSITY}*: at {QUERIES:,} other rows, of an observation. *{LOWER}* and *{UPPER}* enclose the \
logarithm of the exact likelihood of all rows, which nobody computes; *{LEFT}* is trace(K − Q) / trace(K). \
*{MEMORY}*: the peak of a fit. Targets have variance one but for those of eight features, a function of four of them \
with noise of 0.1."""


@dataclass(frozen=True)
class _Problem:
    X: Floats
    y: Floats
    queries: Floats
    targets: Floats


def _synthetic(terms: Terms) -> _Problem:
    X, y = eight_features(terms.at_most(ROWS) + QUERIES)
    return _Problem(X[QUERIES:], y[QUERIES:], X[:QUERIES], y[:QUERIES])


def _cadata(terms: Terms) -> _Problem:
    found = rows.read("cadata", terms, numbers=True)
    return _Problem(found.X_train, found.y_train, found.X_test[:QUERIES], found.y_test[:QUERIES])


def _elevation(terms: Terms) -> _Problem:
    """Covtype, whose first feature is told by the others."""
    found = data.from_folder(terms.data, "covtype", data.standardised, None, None)()
    X = np.asarray(found.X_train)[_some(len(found.X_train), terms.at_most(ROWS))]
    queries = np.asarray(found.X_test)[_some(len(found.X_test), QUERIES)]
    others = np.ptp(X, axis=0) > 0
    others[0] = False
    return _Problem(
        np.ascontiguousarray(X[:, others]), X[:, 0], np.ascontiguousarray(queries[:, others]), queries[:, 0]
    )


def _some(rows: int, count: int) -> Integers:
    """So many of the rows at random: files have them in some order."""
    return np.random.default_rng(1).permutation(rows)[:count]


def _fitted(model: Any, X: Floats, y: Floats) -> Fitted:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)  # gammas of features that tell nothing run off to zero
        return fitted(lambda: model.fit(X, y))


def _judge(problem: _Problem) -> Judge:
    def judge(way: Way, made: Fitted, answer: tuple[Floats, Floats]) -> dict[str, float | str]:
        mean, std = answer
        missed = (problem.targets - mean) / std
        densities = -0.5 * (np.log(2 * np.pi * np.square(std)) + np.square(missed))
        figures: dict[str, float | str] = {
            ERROR: float(np.sqrt(np.mean(np.square(problem.targets - mean)))),
            DENSITY: float(densities.mean()),
            MEMORY: made.peak,
        }
        if way.name in SPARSE:
            model = made.model
            figures |= {LOWER: model.lower_bound_, UPPER: model.upper_bound_, LEFT: model.residual_}
        return figures

    return judge


def _measured(make: Any, terms: Terms) -> Measured:
    problem = make(terms)
    X, y = problem.X, problem.y
    kernel = 1.0 * RBF((0.5 / X.shape[1],) * X.shape[1]) + White(0.1)

    def exact(count: int) -> Fitted:
        some = _some(len(X), count)
        return _fitted(GaussianProcessRegressor(kernel, alpha=0.0), X[some], y[some])

    def sparse(count: int) -> Fitted:
        return _fitted(SparseGaussianProcessRegressor(kernel, n_inducing=count, random_state=0), X, y)

    def answer(made: Fitted) -> Any:
        return made.model.predict(problem.queries, return_std=True)

    ways = [Way(name, partial(exact, terms.at_most(count)), answer) for name, count in EXACT.items()]
    ways += [Way(name, partial(sparse, count), answer) for name, count in SPARSE.items()]
    return Measured(rows.size(X, problem.queries), race(ways, terms, _judge(problem)))


SPARSE_PROCESSES = Section(
    "Gaussian processes of many rows",
    TOLD,
    {
        "eight features": partial(_measured, _synthetic),
        "cadata": partial(_measured, _cadata),
        "covtype, elevation": partial(_measured, _elevation),
    },
    (
        within_seconds("eight features", 300, FEW),
        within_seconds("covtype, elevation", 600, FEW),
        figure_at_most("eight features", 1000, FEW, MEMORY),
        figure_at_most("eight features", 1000, MANY, MEMORY),
    ),
)
