"""The rows that Nyström's approximation stands on: at random, the least explained one after the other, or centres."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.data import core_ready, is_sparse, take_rows
from mercer.errors import KernelError, ParameterError
from mercer.kernels import Kernel
from mercer.rows import Landmarks, rows_of
from mercer.rows.pivots import pivots
from mercer.typing import Integers

__all__ = ["SELECTIONS", "choose_landmarks"]

SELECTIONS = ("random", "pivoted", "rpcholesky", "kmeans")
# More rows than these are clustered a batch at a time.
_MOST_ROWS_AT_ONCE = 20_000
# Bytes for what pivots are found by where nobody says.
_BYTES = 1_000_000_000


def choose_landmarks(
    selection: str,
    kernel: Kernel,
    X: Any,
    count: int,
    random: np.random.RandomState,
    threads: int,
    most: int = _BYTES,
) -> Landmarks:
    """As many landmarks of X as are asked for; fewer where pivots show that fewer explain all rows, or rows are alike.

    Pivots are found among as many rows as fit `most` bytes with their factor: random ones, or evenly spread over all.
    """
    if selection == "kmeans":
        return Landmarks(_centres(kernel, X, count, random), None)
    if selection == "random":
        # scikit-learn's own random numbers.
        places = random.permutation(X.shape[0])[:count].astype(np.int64)
    else:
        chance = random if selection == "rpcholesky" else None
        some = _some_rows(X.shape[0], max(count, most // (8 * count)), chance)
        rows = rows_of(kernel, X)
        places = some[pivots(rows if len(some) == len(rows) else rows.taken(some), count, threads, chance)]
        if len(places) == 0:
            places = _where_all_is_zero(kernel, X, selection)
    return Landmarks(take_rows(X, places), places)


def _some_rows(count: int, most: int, random: np.random.RandomState | None) -> Integers:
    if count <= most:
        return np.arange(count)
    if random is None:
        return np.linspace(0, count - 1, most).astype(np.int64)
    return np.sort(random.permutation(count)[:most])


def _where_all_is_zero(kernel: Kernel, X: Any, selection: str) -> Integers:
    if np.any(rows_of(kernel, X).diagonal < 0):
        raise KernelError(
            f"selection={selection!r}: expected a positive semi-definite kernel, got {kernel}, with k(x, x) ≤ 0 at all "
            "rows. Use selection='random'."
        )
    return np.zeros(1, dtype=np.int64)


def _centres(kernel: Kernel, X: Any, count: int, random: np.random.RandomState) -> Any:
    if kernel.is_pairwise:
        raise ParameterError(
            "selection='kmeans': expected a kernel of features, whose centres are rows as well, got kernel values. "
            "Use selection='pivoted'."
        )
    from sklearn.cluster import KMeans, MiniBatchKMeans  # takes long to import

    kind = KMeans if X.shape[0] <= _MOST_ROWS_AT_ONCE else MiniBatchKMeans
    with warnings.catch_warnings():
        # Rows that are there more than once make fewer centres.
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusters = kind(count, n_init=1, random_state=random).fit(X)
    _, first = np.unique(clusters.cluster_centers_, axis=0, return_index=True)
    centres = clusters.cluster_centers_[np.sort(first)].astype(X.dtype, copy=False)
    return core_ready(type(X)(centres)) if is_sparse(X) else core_ready(centres)
