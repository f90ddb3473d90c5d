"""Rows and targets for tests of the dense method."""

import numpy as np

from mercer.rows import rows_of


def rows(n=9, d=3, seed=0, offset=0.0):
    return np.random.default_rng(seed).normal(size=(n, d)) + offset


def training(kernel, X):
    return rows_of(kernel, X).subset(np.arange(len(X), dtype=np.int32))


def drawn(seed, n=40):
    """Rows, numbers, signs and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    return X, y, np.where(y > np.median(y), 1.0, -1.0), rng.uniform(0.5, 2.0, size=n)
