"""Data as TorchKM's published times are of: two classes, each a mixture of five Gaussians (arXiv 2606.06742, table 2).

The centres are standard normal; those of one class are moved by 2 in the first half of the features, those of the other
in the second. Rows scatter about them by 3, classes are even on average, and features are standardised in the end.
"""

from __future__ import annotations

import numpy as np

from benchmarks.data import Loader, standardised
from benchmarks.dataset import Dataset
from mercer.typing import Floats

_CENTRES, _SHIFT, _SPREAD = 5, 2.0, 3.0
# Pairs of rows from which the width of the kernel is taken, as a share of the rows, and the quantiles of their
# squared distances.
_PAIRS, _QUANTILES = 0.5, (0.1, 0.9)


def mixture(rows: int, columns: int, seed: int = 0) -> Loader:
    """Loader of so many training rows, and a tenth of that for the test."""

    def load() -> Dataset:
        random = np.random.default_rng(seed)
        centres = random.normal(size=(2, _CENTRES, columns))
        half = columns // 2
        centres[0, :, :half] += _SHIFT
        centres[1, :, half:] += _SHIFT
        y = random.integers(0, 2, rows + rows // 10)
        which = random.integers(0, _CENTRES, len(y))
        X = centres[y, which] + _SPREAD * random.normal(size=(len(y), columns))
        return standardised(Dataset(X[:rows], y[:rows], X[rows:], y[rows:]))

    return load


def width(X: Floats, seed: int = 0) -> float:
    """TorchKM's gamma: its kernel is exp(−2 σ ‖x − x'‖²), with σ the mean of two inverse quantiles of ‖x − x'‖²."""
    random = np.random.default_rng(seed)
    first, second = random.integers(0, len(X), (2, int(_PAIRS * len(X))))
    squares = ((X[first] - X[second]) ** 2).sum(axis=1)
    return float(2 * np.mean(1 / np.quantile(squares[squares > 0], _QUANTILES)))
