"""Densities by windows beside other exact ones: time, and the largest difference of their logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import gaussian_kde
from sklearn import neighbors
from sklearn.base import clone

from benchmarks.remember.judge import largest_difference, log_densities
from benchmarks.ways import rows
from benchmarks.ways.bars import at_least, at_most, figure_at_most, within_seconds
from benchmarks.ways.race import OURS, Judge, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import KernelDensity
from mercer.typing import Floats

PEER, SCIPY, DIFFERENCE, BOUND = "scikit-learn", "SciPy gaussian_kde", "difference of logs", "error bound"
# Queries at which densities are checked.
_CHECKED = 100
ONE, FIFTY, EVEN, NEAR = "one bandwidth", "50 bandwidths", "50 bandwidths, even", "50 bandwidths, to 1e-3"

TOLD = """\
The logarithm of the density at all queries, with the fit. All but the last are exact: `atol` and `rtol` are zero. \
Rows of eight features are normal with the identity as their covariance, so that SciPy has the same windows; those of \
one and two features are normal. *difference of logs*: the largest from sums of all pairs in float64, at 100 queries. \
*50 bandwidths*: `bandwidth="leave-one-out"` over 50 values ten of which double, as Mercer's own range has them, and \
over as many at even steps (*even*), beside the density of one bandwidth at the same rows; *to 1e-3* with \
`rtol=1e-3`, at even steps, where *error bound* is `left_out_error_bound_`."""


def _measured(X: Floats, Q: Floats, kernel: str, h: float, few: int, terms: Terms, scipy: bool = False) -> Measured:
    """Peers are asked the first `few` queries."""
    some = Q[:few]
    share = len(some) / len(Q)
    ways = [
        Way(
            OURS,
            lambda: KernelDensity(bandwidth=h, kernel=kernel, n_jobs=terms.threads).fit(X),
            lambda model: model.score_samples(Q),
        ),
        Way(
            PEER,
            lambda: neighbors.KernelDensity(bandwidth=h, kernel=kernel).fit(X),
            lambda model: model.score_samples(some),
            share,
        ),
    ]
    if scipy:
        ways.append(Way(SCIPY, lambda: gaussian_kde(X.T, h), lambda model: model.logpdf(some.T), share))
    return Measured(f"{rows.size(X, Q)}, {kernel}, h = {h:g}", race(ways, terms, _judge(X, some[:_CHECKED], kernel, h)))


def _judge(X: Floats, Q: Floats, kernel: str, h: float) -> Judge:
    logs = log_densities(X, Q, kernel, h)

    def judge(way: Way, memory: Any, answer: Floats) -> dict[str, float | str]:
        return {DIFFERENCE: largest_difference(answer[: len(Q)], logs)}

    return judge


def _eight(terms: Terms) -> Measured:
    X = rows.white(terms.at_most(20_000), 8)
    Q = rows.normal(terms.at_most(20_000), 8, seed=1)
    return _measured(X, Q, "gaussian", 0.5, 500, terms, scipy=True)


def _flat(columns: int, kernel: str, h: float, few: int, count: int, terms: Terms) -> Measured:
    n = terms.at_most(count)
    return _measured(rows.normal(n, columns), rows.normal(n, columns, seed=1), kernel, h, few, terms)


def _bandwidths(terms: Terms) -> Measured:
    X = rows.white(terms.at_most(5_000), 8)
    doubling = 0.5 * 2 ** (np.arange(-25, 25) / 10)
    even = np.linspace(doubling[0], doubling[-1], len(doubling))
    options: dict[str, Any] = {"n_jobs": terms.threads}

    def choosing(name: str, widths: Floats, rtol: float = 0.0) -> Way:
        model = KernelDensity(bandwidth="leave-one-out", bandwidths=widths, rtol=rtol, **options)
        return Way(name, lambda: clone(model).fit(X))

    def judge(way: Way, memory: KernelDensity, answer: Any) -> dict[str, float | str]:
        return {BOUND: memory.left_out_error_bound_} if way.name == NEAR else {}

    ways = [
        Way(ONE, lambda: KernelDensity(bandwidth=0.5, **options).fit(X), lambda model: model.score_samples(X)),
        choosing(FIFTY, doubling),
        choosing(EVEN, even),
        choosing(NEAR, even, rtol=1e-3),
    ]
    return Measured(f"{X.shape[0]:,} × {X.shape[1]}, gaussian", race(ways, terms, judge))


DENSITY = Section(
    "Densities",
    TOLD,
    {
        "eight features": _eight,
        "one feature": lambda terms: _flat(1, "gaussian", 0.1, 500, 50_000, terms),
        "two features": lambda terms: _flat(2, "gaussian", 0.1, 500, 50_000, terms),
        "two features, bounded": lambda terms: _flat(2, "epanechnikov", 0.1, 2_000, 50_000, terms),
        "one feature, a million": lambda terms: _flat(1, "epanechnikov", 0.05, 500, 1_000_000, terms),
        "bandwidths": _bandwidths,
    },
    (
        at_least("eight features", 60, PEER, OURS),
        at_least("eight features", 40, SCIPY, OURS),
        figure_at_most("eight features", 1e-6, OURS, DIFFERENCE),
        within_seconds("one feature, a million", 1, OURS),
        at_most("bandwidths", 8, FIFTY, ONE),
        at_most("bandwidths", 2, NEAR, ONE),
        figure_at_most("bandwidths", 1e-3, NEAR, BOUND),
    ),
)
