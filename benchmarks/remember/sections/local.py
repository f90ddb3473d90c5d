"""LOWESS and local regression beside others: time, and the largest difference of the smooth."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.remember.judge import largest_difference
from benchmarks.remember.peers import module_of
from benchmarks.ways import rows
from benchmarks.ways.bars import at_least, at_most, within_seconds
from benchmarks.ways.race import OURS, Judge, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import LocallyWeightedRegression, lowess
from mercer.typing import Floats

STATSMODELS, FAST, SKMISC, DIFFERENCE = "statsmodels", "fastlowess", "skmisc.loess", "largest difference"
PLAIN, BANDS = "fit, predict", "fit, predict_interval"
LINES, QUADRATICS, NEAR = "lines", "quadratics", "lines, 500 neighbours"
_ROUNDS = 3
_FRAC = 2 / 3
# Of the range of x: R's, and that of fastlowess.
_DELTA = 0.01
_SPAN = 0.3

TOLD = """\
*lowess*: a window of two thirds of the points and three robust iterations. With δ = 0 a line is fitted at every \
point; else δ is 0.01 of the range of x for both, and fastlowess has Cleveland's terms (`scaling_method="mar"`, \
`boundary_policy="noboundary"`), which are not its defaults. *bands*: one feature, a window of two thirds, the mean \
with its interval beside the mean alone. *eight features*: `LocallyWeightedRegression` at all rows, a window of two \
thirds of them, or of 500 neighbours. *two features*: lines in a window of 0.3 of the rows, `surface="direct"` for \
skmisc. *largest difference*: from Mercer's smooth."""


def _points(n: int) -> tuple[Floats, Floats]:
    x = np.sort(rows.uniform(n, 1)[:, 0]) * 10
    return x, np.sin(x) + rows.normal(n, 1, seed=1)[:, 0] * 0.3


def _judge() -> Judge:
    """Compares peers with Mercer, which answers first."""
    first: list[Any] = []

    def judge(way: Way, memory: Any, answer: Any) -> dict[str, float | str]:
        first.append(answer)
        return {} if way.name == OURS else {DIFFERENCE: largest_difference(answer, first[0])}

    return judge


def _every_point(count: int, terms: Terms) -> Measured:
    x, y = _points(terms.at_most(count))
    ways = [Way(OURS, ask=lambda _: lowess(y, x, _FRAC, _ROUNDS, n_jobs=terms.threads)[:, 1])]
    if (module := module_of("statsmodels")) is not None:
        ways.append(Way(STATSMODELS, ask=lambda _: module.lowess(y, x, _FRAC, _ROUNDS)[:, 1]))
    return Measured(f"{len(x):,} points", race(ways, terms, _judge()))


def _interpolated(count: int, terms: Terms) -> Measured:
    x, y = _points(terms.at_most(count))
    delta = _DELTA * float(x[-1] - x[0])
    ways = [Way(OURS, ask=lambda _: lowess(y, x, _FRAC, _ROUNDS, delta, n_jobs=terms.threads)[:, 1])]
    if (module := module_of("fastlowess")) is not None:
        model = module.Lowess(
            _FRAC, iterations=_ROUNDS, delta=delta, scaling_method="mar", boundary_policy="noboundary"
        )
        ways.append(Way(FAST, ask=lambda _: model.fit(x, y).y))
    return Measured(f"{len(x):,} points", race(ways, terms, _judge()))


def _bands(terms: Terms) -> Measured:
    x, y = _points(terms.at_most(100_000))
    X = x[:, None]

    def fitted() -> Any:
        return LocallyWeightedRegression(n_jobs=terms.threads).fit(X, y)

    ways = [
        Way(PLAIN, fitted, lambda model: model.predict(X)),
        Way(BANDS, fitted, lambda model: model.predict_interval(X)),
    ]
    return Measured(f"{len(x):,} points", race(ways, terms))


def _many_features(terms: Terms) -> Measured:
    X = rows.normal(terms.at_most(10_000), 8)
    Q = rows.normal(terms.at_most(10_000), 8, seed=1)
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]

    def way(name: str, order: int, neighbours: int | None) -> Way:
        model = partial(LocallyWeightedRegression, order, n_neighbors=neighbours, n_jobs=terms.threads)
        return Way(name, lambda: model().fit(X, y), lambda fitted: fitted.predict(Q))

    ways = [way(LINES, 1, None), way(QUADRATICS, 2, None), way(NEAR, 1, terms.at_most(500))]
    return Measured(rows.size(X, Q), race(ways, terms))


def _two_features(terms: Terms) -> Measured:
    X = rows.uniform(terms.at_most(2_000), 2)
    y = np.sin(6 * X[:, 0]) + X[:, 1] + rows.normal(len(X), 1, seed=1)[:, 0] * 0.1

    def ours() -> Any:
        return LocallyWeightedRegression(frac=_SPAN, n_jobs=terms.threads).fit(X, y)

    ways = [Way(OURS, ours, lambda model: model.predict(X))]
    if (module := module_of("scikit-misc")) is not None:
        # It takes the numbers of an array for one feature after the other, whatever their order.
        columns = np.ascontiguousarray(X.T).reshape(X.shape)

        def theirs() -> Any:
            # Features as they are: it would divide each by its spread.
            model = module.loess(columns, y, span=_SPAN, degree=1, normalize=False, surface="direct")
            model.fit()
            return model

        ways.append(Way(SKMISC, theirs, lambda model: np.asarray(model.outputs.fitted_values)))
    return Measured(rows.size(X, X), race(ways, terms, _judge()))


LOCAL = Section(
    "LOWESS and local regression",
    TOLD,
    {
        "lowess, δ = 0, 2,000": partial(_every_point, 2_000),
        "lowess, δ = 0, 10,000": partial(_every_point, 10_000),
        "lowess, 10,000": partial(_interpolated, 10_000),
        "lowess, 100,000": partial(_interpolated, 100_000),
        "lowess, 1,000,000": partial(_interpolated, 1_000_000),
        "bands": _bands,
        "eight features": _many_features,
        "two features": _two_features,
    },
    (
        at_least("lowess, δ = 0, 2,000", 50, STATSMODELS, OURS),
        at_least("lowess, δ = 0, 10,000", 50, STATSMODELS, OURS),
        *(at_least(f"lowess, {count}", 1, FAST, OURS) for count in ("10,000", "100,000", "1,000,000")),
        at_most("bands", 2, BANDS, PLAIN),
        within_seconds("eight features", 0.5, LINES),
        within_seconds("eight features", 3, QUADRATICS),
    ),
)
