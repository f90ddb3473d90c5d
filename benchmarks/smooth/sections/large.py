"""Ridge regression of many rows over landmarks: time, memory, errors at test rows, and what is proven of all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from benchmarks import data
from benchmarks.dataset import Dataset
from benchmarks.smooth.fitted import Fitted, fitted
from benchmarks.smooth.rows import twenty_features
from benchmarks.ways import rows
from benchmarks.ways.bars import at_least, figure_at_most, within_seconds
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import KernelRidge, SparseKernelRidge
from mercer.typing import Floats

BOUNDED, EXACT, PEER = "mercer, bounded", "mercer, all rows", "scikit-learn"
ERROR, GAP, LEFT, PEAK, TIER = "test error", "relative gap", "kernel left", "peak MB", "proof"
# Rows for which the machine of all rows is fitted beside: minutes, beyond these.
_MOST_FOR_ALL = 25_000
_LANDMARKS = 1000

TOLD = """\
The fit and the predictions of all test rows. *mercer* is `SparseKernelRidge` over 1,000 landmarks (2,000 where it \
says so) with an intercept, as it comes, with its proof against the problem of all rows; *bounded* is the same with \
`proof="bounded"`; *all rows* is `KernelRidge` by conjugate gradients, to 1e-6; *scikit-learn* is its `Nystroem` with \
as many landmarks before `Ridge`. The kernel is RBF. *test error*: the root of the mean squared error, beside the \
standard deviation of the targets. *relative gap*: how much larger the objective can be than that of any machine of \
all rows, by the certificate. *kernel left*: trace(K − K̂) / trace(K). *peak MB*: resident memory of the fit beside \
what was there before it."""


def _fitting(make: Callable[[], Any], own: Dataset) -> Callable[[], Fitted]:
    return lambda: fitted(lambda: make().fit(own.X_train, own.y_train))


def _measured(own: Dataset, gamma: float, alpha: float, count: int, terms: Terms) -> Measured:
    shared: dict[str, Any] = {"gamma": gamma, "fit_intercept": True, "n_jobs": terms.threads}

    def over_landmarks(proof: str) -> SparseKernelRidge:
        return SparseKernelRidge(alpha, n_components=count, proof=proof, random_state=0, **shared)

    makers: dict[str, Callable[[], Any]] = {
        OURS: lambda: over_landmarks("auto"),
        BOUNDED: lambda: over_landmarks("bounded"),
        PEER: lambda: make_pipeline(
            Nystroem(gamma=gamma, n_components=count, random_state=0), Ridge(alpha, solver="cholesky")
        ),
    }
    if own.X_train.shape[0] <= _MOST_FOR_ALL:
        makers[EXACT] = lambda: KernelRidge(alpha, kernel="rbf", solver="cg", **shared)
    spread = float(own.y_test.std())

    def judge(way: Way, memory: Fitted, answer: Floats) -> dict[str, float | str]:
        figures: dict[str, float | str] = {
            ERROR: float(np.sqrt(np.mean((answer - own.y_test) ** 2))) / spread,
            PEAK: memory.peak,
        }
        if isinstance(memory.model, SparseKernelRidge):
            proof = memory.model.certificate_
            figures |= {GAP: proof.relative_gap, LEFT: memory.model.residual_, TIER: proof.tier}
        return figures

    ways = [
        Way(name, _fitting(make, own), lambda made: made.model.predict(own.X_test)) for name, make in makers.items()
    ]
    told = f"{rows.size(own.X_train, own.X_test)}, m = {count:,}, γ = {gamma:.3g}, α = {alpha:g}"
    return Measured(told, race(ways, terms, judge))


def _synthetic(terms: Terms) -> Dataset:
    n, queries = terms.at_most(100_000), terms.at_most(rows.QUERIES)
    X, y = twenty_features(n + queries)
    return Dataset(X[:n], y[:n], X[n:], y[n:])


def _covtype(terms: Terms) -> Dataset:
    limits = terms.at_most(100_000), terms.at_most(rows.QUERIES)
    own = data.from_folder(terms.data, "covtype", data.standardised, *limits, positive=1)()
    return _as_numbers(own)


def _as_numbers(own: Dataset) -> Dataset:
    """The two classes as ±1."""
    signs = [np.where(np.asarray(y) == np.max(own.y_train), 1.0, -1.0) for y in (own.y_train, own.y_test)]
    return Dataset(own.X_train, signs[0], own.X_test, signs[1])


LARGE = Section(
    "Many rows: ridge regression over landmarks",
    TOLD,
    {
        "synthetic": lambda terms: _measured(_synthetic(terms), 1 / 20, 1.0, _LANDMARKS, terms),
        "synthetic, 2,000 landmarks": lambda terms: _measured(_synthetic(terms), 1 / 20, 1.0, 2 * _LANDMARKS, terms),
        "synthetic, smooth": lambda terms: _measured(_synthetic(terms), 1 / 200, 1.0, _LANDMARKS, terms),
        "covtype": lambda terms: _measured(_covtype(terms), 1 / 54, 1.0, _LANDMARKS, terms),
        "cadata": lambda terms: _measured(rows.read("cadata", terms, numbers=True), 1 / 8, 0.1, _LANDMARKS, terms),
        "susy-30k": lambda terms: _measured(_as_numbers(rows.read("susy-30k", terms)), 1 / 18, 1.0, _LANDMARKS, terms),
    },
    (
        within_seconds("synthetic", 120, OURS),
        figure_at_most("synthetic", 1000, OURS, PEAK),
        at_least("synthetic", 1, PEER, BOUNDED),
    ),
)
