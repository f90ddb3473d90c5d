"""More rows than a matrix fits: conjugate gradients beside what a factor would take by its operations."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf

from benchmarks.smooth.fitted import fitted
from benchmarks.smooth.rows import GAMMA, twenty_features
from benchmarks.ways.bars import at_least, figure_at_most
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import RBF, KernelRidge
from mercer.rows import rows_of
from mercer.typing import Floats

FACTOR, RESIDUAL, STEPS, PEAK = "factor, by its operations", "relative residual", "steps", "peak MB"
ROWS, FACTORED = 50_000, 5_000

TOLD = f"""\
The rows of section A, {ROWS:,} of them, α = 1. *factor*: the kernel matrix and the float64 Cholesky factor of \
{FACTORED:,} of the rows, as many times as the operations of all rows are more; no matrix of all would fit. \
*peak MB*: resident memory of the fit beside what was there before it."""


def _factor(X: Floats, threads: int) -> Any:
    K = rows_of(RBF(GAMMA), X).matrix(threads, np.float64)
    K.reshape(-1)[:: len(K) + 1] += 1
    return dpotrf(K.T, lower=1, overwrite_a=1, clean=0)


def _measured(terms: Terms) -> Measured:
    X, y = twenty_features(terms.at_most(ROWS))
    few = X[:FACTORED]

    model = KernelRidge(kernel="rbf", gamma=GAMMA, n_jobs=terms.threads)
    ways = [
        Way(OURS, lambda: fitted(lambda: model.fit(X, y))),
        Way(FACTOR, ask=lambda _: _factor(few, terms.threads), share=(len(few) / len(X)) ** 3),
    ]

    def judge(way: Way, made: Any, _: Any) -> dict[str, float | str]:
        if way.name != OURS:
            return {}
        return {RESIDUAL: model.certificate_.residual, STEPS: float(model.n_iter_), PEAK: made.peak}

    return Measured(f"{len(X):,} × {X.shape[1]}", race(ways, terms, judge))


WITHOUT_MATRIX = Section(
    "Ridge regression without a stored matrix",
    TOLD,
    {"50,000 rows": _measured},
    (
        at_least("50,000 rows", 9, FACTOR, OURS),
        figure_at_most("50,000 rows", 1e-6, OURS, RESIDUAL),
        figure_at_most("50,000 rows", 1024, OURS, PEAK),
    ),
)
