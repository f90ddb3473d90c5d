"""The rows that Nyström's approximation stands on: at random, the least explained one after the other, or centres."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mercer.data import core_ready, is_sparse, take_rows
from mercer.errors import KernelError, ParameterError
from mercer.kernels import Kernel
from mercer.rows import rows_of
from mercer.rows.pivots import pivots
from mercer.typing import Integers

__all__ = ["SELECTIONS", "Landmarks", "choose_landmarks"]

SELECTIONS = ("random", "pivoted", "kmeans")
# More rows than these are clustered a batch at a time.
_MOST_ROWS_AT_ONCE = 20_000


class Landmarks(NamedTuple):
    """The landmarks, and where they are among the training rows; None where they are none of these."""

    vectors: Any
    places: Integers | None


def choose_landmarks(
    selection: str, kernel: Kernel, X: Any, count: int, random: np.random.RandomState, threads: int
) -> Landmarks:
    """As many landmarks of X as are asked for; fewer where pivots show that fewer explain all rows."""
    if selection == "kmeans":
        return Landmarks(_centres(kernel, X, count, random), None)
    if selection == "pivoted":
        places = pivots(rows_of(kernel, X), count, threads)
        if len(places) == 0:
            places = _where_all_is_zero(kernel, X)
    else:
        # scikit-learn's own random numbers.
        places = random.permutation(X.shape[0])[:count].astype(np.int64)
    return Landmarks(take_rows(X, places), places)


def _where_all_is_zero(kernel: Kernel, X: Any) -> Integers:
    if np.any(rows_of(kernel, X).diagonal < 0):
        raise KernelError(
            f"selection='pivoted': expected a positive semi-definite kernel, got {kernel}, with k(x, x) ≤ 0 at all "
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
    centres = kind(count, n_init=1, random_state=random).fit(X).cluster_centers_.astype(X.dtype, copy=False)
    return core_ready(type(X)(centres)) if is_sparse(X) else core_ready(centres)
