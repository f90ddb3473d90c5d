"""How much each column counts: by how much the score falls where its values are shuffled between test rows."""

from __future__ import annotations

import numpy as np

from mercer.costs import KERNEL_PRODUCTS, PRODUCTS_BESIDE_A_VALUE
from mercer.training import measures
from mercer.training.findings import Importance
from mercer.training.fitting import Fit
from mercer.training.options import TrainingOptions
from mercer.training.pace import Pace
from mercer.training.prepared import Prepared

__all__ = ["column_importance"]

_REPEATS, _MOST_ROWS, _FEWEST_ROWS = 5, 2000, 100
# Seconds that it may take without a time limit, and the part of what is left with one.
_SECONDS, _SHARE = 3.0, 0.5


def column_importance(data: Prepared, fit: Fit, options: TrainingOptions, pace: Pace) -> list[Importance]:
    """The loss of the score that counts, the largest first; of a column all features are shuffled together.

    Its error is that of the test rows: how far it would be from this with other test rows. A quick run has none.
    """
    if options.quick:
        return []
    predict = fit.estimator.predict
    name, random = data.score_name, np.random.default_rng(options.seed)
    rows = np.arange(len(data.test))
    most = _rows_within(data, fit.found.n_support, min(_SECONDS, _SHARE * pace.left))
    if len(rows) > most:
        rows = np.sort(random.choice(len(rows), most, replace=False))
    X, truth = data.X_test[rows], data.y_test[rows]
    whole = measures.score(name, truth, predict(X))
    found = []
    for number, column in enumerate(data.columns):
        pace.tell("importance", number / len(data.columns), column)
        block = data.encoding.features_of(column)
        shuffled = np.tile(X, (_REPEATS, 1))
        order = np.concatenate([random.permutation(len(X)) for _ in range(_REPEATS)])
        shuffled[:, block] = X[order, block]
        if np.array_equal(shuffled[: len(X), block], X[:, block]) and not np.ptp(X[:, block], axis=0).any():
            found.append(Importance(column, 0.0, 0.0))
            continue
        parts = np.split(np.asarray(predict(shuffled)), _REPEATS)
        scores = [measures.score(name, truth, part) for part in parts]
        loss = whole.value - float(np.mean([one.value for one in scores]))
        influence = whole.influence - np.mean([one.influence for one in scores], axis=0)
        found.append(Importance(column, loss, measures.Measure(loss, influence).error or 0.0))
    return sorted(found, key=lambda one: -one.loss)


def _rows_within(data: Prepared, n_support: int, seconds: float) -> int:
    """How many test rows can be shuffled in this time, by what kernel values take."""
    speed = KERNEL_PRODUCTS / (data.X.shape[1] + PRODUCTS_BESIDE_A_VALUE)
    values_of_a_row = max(n_support, 1) * _REPEATS * max(len(data.columns), 1)
    return int(np.clip(seconds * speed / values_of_a_row, _FEWEST_ROWS, _MOST_ROWS))
