"""Minkowski distances whose powers leave the numbers there are: each pair in units of its largest difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.deadline import check_deadline
from mercer.typing import Floats

__all__ = ["in_own_units", "mend_powers"]

# Differences of larger numbers are infinite.
_LARGEST = 8e307
# Sums of powers below this may have lost some that are not zero.
_SMALLEST_SUM = 1e-280


def in_own_units(Q: Any, X: Any, p: float = 2, w: Any = None) -> Floats:
    """(Σ w |q − x|^p)^(1/p) of queries and rows, without overflow but of the distance itself."""
    found = np.empty((len(Q), len(X)))
    for i, query in enumerate(Q):
        check_deadline()
        found[i] = _of_one(query, X, p, w)
    return found


def mend_powers(found: Floats, Q: Any, X: Any, p: float, w: Any = None) -> Floats:
    """Computes those distances anew, in place, whose sums of powers are infinite or next to zero."""
    if np.isinf(p):
        return found
    with np.errstate(over="ignore"):
        least = np.float64(_SMALLEST_SUM) ** (1 / p)
    is_lost = ~(np.isfinite(found) & (found > least))
    for i in np.flatnonzero(is_lost.any(axis=1)):
        found[i, is_lost[i]] = _of_one(Q[i], X[is_lost[i]], p, w)
    return found


def _of_one(query: Any, X: Any, p: float, w: Any) -> Floats:
    query, X = np.asarray(query, dtype=np.float64), np.asarray(X, dtype=np.float64)
    if w is not None:  # a feature that does not count is no unit
        w = np.asarray(w, dtype=np.float64)
        query, X, w = query[w > 0], X[:, w > 0], w[w > 0]
    are_large = max(np.abs(query).max(initial=0.0), np.abs(X).max(initial=0.0)) > _LARGEST
    apart = np.abs(X / 2 - query / 2 if are_large else X - query)
    units = apart.max(axis=1, initial=0.0)
    units[units == 0] = 1.0
    with np.errstate(over="ignore", under="ignore"):
        powers = (apart / units[:, None]) ** p
        sums = powers.sum(axis=1) if w is None else powers @ w
        distances = units * sums ** (1 / p)
        return np.asarray(2 * distances if are_large else distances)
