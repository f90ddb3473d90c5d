"""How well the machine does on rows that it learnt from: beside the test rows it tells of overfitting."""

from __future__ import annotations

import numpy as np

from mercer.training import measures
from mercer.training.fitting import Fit
from mercer.training.measures import Measure
from mercer.training.prepared import Prepared

__all__ = ["score_on_training_rows"]

_MOST_ROWS = 2000


def score_on_training_rows(data: Prepared, fit: Fit, seed: int) -> Measure:
    """The score that counts on training rows, or on some of them."""
    rows = np.arange(len(data.train))
    if len(rows) > _MOST_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(len(rows), _MOST_ROWS, replace=False))
    return measures.score(data.score_name, data.y[rows], fit.estimator.predict(data.X[rows]))
