"""What is right in float64: distances from the differences of the features, and densities pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from mercer.typing import Floats, Integers

# Two float64 sums of the same squares, in another order.
_ROUNDING = 1e-12
# What an expanded square of centred rows may be off, as a share of the largest norm: rows within it are settled.
_EXPANSION = 1e-11


def wrong_neighbours(X: Floats, Q: Floats, rows: Integers) -> int:
    """How many of the rows found for the queries are farther than the true last neighbour, beyond rounding.

    Parameters
    ----------
    X, Q : ndarray of float64
        Rows and queries.
    rows : ndarray of shape (queries, k)
        What was found; a row that is there twice, or a number that is none, is wrong.
    """
    k = rows.shape[1]
    centre = X.mean(axis=0)
    flat = X - centre
    norms = np.einsum("nd,nd->n", flat, flat)
    return sum(_wrong_of(X, flat, norms, query, query - centre, own, k) for query, own in zip(Q, rows, strict=True))


def _wrong_of(X: Floats, flat: Floats, norms: Floats, query: Floats, shifted: Floats, own: Integers, k: int) -> int:
    own_norm = float(shifted @ shifted)
    about = norms + own_norm - 2 * (flat @ shifted)
    reach = np.partition(about, k - 1)[k - 1] + _EXPANSION * (norms.max() + own_norm)
    last = np.partition(_squares(X, np.flatnonzero(about <= reach), query), k - 1)[k - 1]
    known = np.unique(own[(own >= 0) & (own < len(X))])
    return k - int(np.count_nonzero(_squares(X, known, query) <= last * (1 + _ROUNDING)))


def _squares(X: Floats, rows: Integers, query: Floats) -> Floats:
    return np.asarray(((X[rows] - query) ** 2).sum(axis=1))


def log_densities(X: Floats, Q: Floats, kernel: str, h: float) -> Floats:
    """The logarithm of the density at each query, of windows that are gaussian or Epanechnikov's, pair by pair."""
    n, d = X.shape
    squares = (((X - query) ** 2).sum(axis=1) / h**2 for query in Q)
    if kernel == "gaussian":
        sums, volume = [logsumexp(-one / 2) for one in squares], d / 2 * np.log(2 * np.pi)
    else:
        sums = [_log(np.maximum(1 - one, 0).sum()) for one in squares]
        volume = np.log(2 / (d + 2)) + d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
    return np.asarray(np.array(sums) - np.log(n) - d * np.log(h) - volume)


def _log(value: float) -> float:
    return float(np.log(value)) if value > 0 else -np.inf


def largest_difference(one: Any, other: Any) -> float:
    """Between two answers; infinities of the same sign are equal, and NaN differs from all else."""
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    differs = ~((one == other) | (np.isnan(one) & np.isnan(other)))
    found = np.abs(one[differs] - other[differs])
    return float(np.where(np.isnan(found), np.inf, found).max()) if differs.any() else 0.0
