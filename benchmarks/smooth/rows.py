"""Rows whose targets are a smooth function of a few features, with noise."""

from __future__ import annotations

import numpy as np

from mercer.typing import Floats

__all__ = ["FEATURES", "GAMMA", "eight_features", "twenty_features"]

#: Of the rows of Gaussian processes.
FEATURES = 8
#: Of the kernel of ridge regression on twenty features.
GAMMA = 1 / 20


def twenty_features(rows: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Normal rows, a function of three features."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 20))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * random.normal(size=rows)


def eight_features(rows: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Rows all over a cube, a function of four features."""
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, size=(rows, FEATURES))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.3 * np.cos(X[:, 3]) + 0.1 * random.normal(size=rows)
    return X, y
