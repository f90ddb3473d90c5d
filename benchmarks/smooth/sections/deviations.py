"""Standard deviations of many queries, beside scikit-learn's."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels

from benchmarks.smooth.rows import FEATURES, eight_features
from benchmarks.ways import rows
from benchmarks.ways.bars import at_least, figure_at_most
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import GaussianProcessRegressor

PEER, DIFFERENCE = "scikit-learn", "largest difference"
QUERIES = 10_000

TOLD = f"""\
Means and standard deviations at {QUERIES:,} queries, of a fitted process with a length scale for each of eight \
features; fits are not timed. *largest difference*: from scikit-learn's deviations."""


def _measured(count: int, terms: Terms) -> Measured:
    X, y = eight_features(terms.at_most(count))
    queries, _ = eight_features(terms.at_most(QUERIES), seed=1)
    kernel = 1.0 * kernels.RBF(np.ones(FEATURES)) + kernels.WhiteKernel(0.01)
    ours, theirs = (kind(kernel, optimizer=None).fit(X, y) for kind in (GaussianProcessRegressor, Theirs))
    _, expected = theirs.predict(queries, return_std=True)

    def judge(way: Way, _: Any, answer: Any) -> dict[str, float | str]:
        return {DIFFERENCE: float(np.abs(answer[1] - expected).max())} if way.name == OURS else {}

    ways = [
        Way(OURS, ask=lambda _: ours.predict(queries, return_std=True)),
        Way(PEER, ask=lambda _: theirs.predict(queries, return_std=True)),
    ]
    return Measured(rows.size(X, queries), race(ways, terms, judge))


_SIZES = {f"{count:,} rows": count for count in (1_000, 2_000, 5_000)}

DEVIATIONS = Section(
    "Gaussian processes: standard deviations",
    TOLD,
    {name: partial(_measured, count) for name, count in _SIZES.items()},
    tuple(
        bar for name in _SIZES for bar in (at_least(name, 3, PEER, OURS), figure_at_most(name, 1e-6, OURS, DIFFERENCE))
    ),
)
