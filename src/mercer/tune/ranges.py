"""Ranges for parameters nobody named, from the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mercer.data import is_sparse
from mercer.typing import Floats

__all__ = ["C_range", "epsilon_range", "extended", "gamma_range"]

# Values lie a factor of four apart: scores change little within it.
_RATIO = 4.0
# Rows between which distances are taken.
_ROWS = 500
# C in units of what a coefficient can be: from machines that are nearly all bounds to ones that are nearly none.
_LEAST_C, _LARGEST_C = -1, 4
# Around one over the median of the squared distances.
_LEAST_GAMMA, _LARGEST_GAMMA = -2, 2
# Half-widths of the tube, as shares of the spread of the targets.
_TUBES = (1 / 64, 1 / 16, 1 / 4)


def gamma_range(X: Any, random_state: Any = 0) -> list[float]:
    """Powers of four around one over the median squared distance, from its upper to its lower quantiles."""
    median = float(np.median(_squared_distances(X, random_state)))
    centre = 1.0 / median if median > 0 else 1.0
    return [float(centre * _RATIO**k) for k in range(_LEAST_GAMMA, _LARGEST_GAMMA + 1)]


def C_range(unit: float = 1.0) -> list[float]:
    """Powers of four, in units of the targets."""
    return [float(unit * _RATIO**k) for k in range(_LEAST_C, _LARGEST_C + 1)]


def epsilon_range(spread: float) -> list[float]:
    """Tubes that are narrow, middling and wide beside the spread of the targets."""
    return [float(spread * share) for share in _TUBES]


def extended(values: list[float], end: float, by: int = 2) -> list[float]:
    """The same with some more values beyond one of its ends."""
    if end == values[-1]:
        return values + [float(values[-1] * _RATIO**k) for k in range(1, by + 1)]
    return [float(values[0] / _RATIO**k) for k in range(by, 0, -1)] + values


def _squared_distances(X: Any, random_state: Any) -> Floats:
    """Between some of the rows, those that are the same left out."""
    rows = X.shape[0]
    chosen = np.arange(rows)
    if rows > _ROWS:
        chosen = check_random_state(random_state).choice(rows, _ROWS, replace=False)
    some = X[np.sort(chosen)]
    dense = np.asarray(some.todense() if is_sparse(some) else some, dtype=np.float64)
    dense = dense - dense.mean(axis=0)
    norms = np.einsum("ij,ij->i", dense, dense)
    squared = norms[:, None] + norms[None] - 2 * dense @ dense.T
    found = squared[np.triu_indices(len(dense), 1)]
    apart = found[found > 1e-12 * max(float(norms.max()), 1e-300)]
    return apart if len(apart) else np.ones(1)
