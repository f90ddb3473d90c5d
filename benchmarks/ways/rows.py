"""The rows and queries of problems."""

from __future__ import annotations

import numpy as np

from benchmarks import data
from benchmarks.dataset import Dataset, Matrix
from benchmarks.ways.race import Terms
from mercer.typing import Floats

#: Queries of a problem where there are as many.
QUERIES = 10_000


def read(name: str, terms: Terms, scaling: data.Scaling = data.standardised, numbers: bool = False) -> Dataset:
    """A set from the folder of the data, with at most `QUERIES` test rows."""
    load = data.from_folder(terms.data, name, scaling, terms.rows, terms.at_most(QUERIES), numbers=numbers)
    return load()


def size(X: Matrix, Q: Matrix) -> str:
    """Rows × features, and queries."""
    return f"{X.shape[0]:,} × {X.shape[1]:,}, {Q.shape[0]:,} queries"


def normal(rows: int, columns: int, seed: int = 0) -> Floats:
    """Standard normal rows."""
    return np.random.default_rng(seed).normal(size=(rows, columns))


def uniform(rows: int, columns: int, seed: int = 0) -> Floats:
    """Rows from all over the unit cube."""
    return np.random.default_rng(seed).uniform(size=(rows, columns))


def white(rows: int, columns: int) -> Floats:
    """Normal rows whose own covariance is the identity, so that SciPy's bandwidth is the same for all features."""
    X = normal(rows, columns)
    X -= X.mean(axis=0)
    return np.ascontiguousarray(np.linalg.solve(np.linalg.cholesky(np.cov(X.T)), X.T).T)


def with_holes(X: Floats, share: float, seed: int = 0) -> Floats:
    """Rows of which a share of the values is missing."""
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)
