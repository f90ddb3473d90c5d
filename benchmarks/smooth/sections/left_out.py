"""Twenty α by rows left out: exactly, estimated, and by himalaya's folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.smooth.rows import GAMMA, twenty_features
from benchmarks.ways.bars import at_least, at_most, figure_at_most
from benchmarks.ways.book import installed
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import KernelRidge, KernelRidgeCV

ONE, ROUGH, PEER = "mercer, one fit", "mercer, estimated", "himalaya"
SPREAD, OFF = "standard error", "off by"
ALPHAS = np.logspace(-3, 3, 20)
ROWS = 5_000
_FOLDS = 5  # himalaya's default

TOLD = """\
The rows of section A, twenty α from 1e-3 to 1e3, and the machine of the best. *mercer*: `KernelRidgeCV`, the errors \
at each row left out in turn; *estimated*: the same with `left_out="estimate"`. *himalaya*: its `KernelRidgeCV` \
with its default of five folds, as it leaves out single rows only by as many eigendecompositions. *standard error*, \
as the estimate tells it, and *off by*, in truth: of the mean squared error, of the worst α."""


def _measured(terms: Terms) -> Measured:
    X, y = twenty_features(terms.at_most(ROWS))
    form: dict[str, Any] = {"kernel": "rbf", "gamma": GAMMA, "n_jobs": terms.threads}
    exact = KernelRidgeCV(ALPHAS, **form).fit(X, y).errors_
    ways = [
        Way(OURS, lambda: KernelRidgeCV(ALPHAS, **form).fit(X, y)),
        Way(ONE, lambda: KernelRidge(**form).fit(X, y)),
        Way(ROUGH, lambda: KernelRidgeCV(ALPHAS, left_out="estimate", **form).fit(X, y)),
    ]
    himalaya = installed("himalaya.kernel_ridge")
    if himalaya is not None:
        ways.append(
            Way(
                PEER,
                lambda: himalaya.KernelRidgeCV(ALPHAS, kernel="rbf", kernel_params={"gamma": GAMMA}, cv=2).fit(X, y),
            )
        )

    def judge(way: Way, model: Any, _: Any) -> dict[str, float | str]:
        if way.name != ROUGH:
            return {}
        return {
            SPREAD: float(np.max(model.standard_errors_ / exact)),
            OFF: float(np.max(np.abs(model.errors_ / exact - 1))),
        }

    return Measured(f"{len(X):,} × {X.shape[1]}", race(ways, terms, judge))


LEFT_OUT = Section(
    "Twenty α by rows left out",
    TOLD,
    {"5,000 rows": _measured},
    (
        at_most("5,000 rows", 15, OURS, ONE),
        at_most("5,000 rows", 4, ROUGH, ONE),
        figure_at_most("5,000 rows", 0.01, ROUGH, SPREAD),
        figure_at_most("5,000 rows", 0.02, ROUGH, OFF),
        at_least("5,000 rows", 3, PEER, OURS),
    ),
)
