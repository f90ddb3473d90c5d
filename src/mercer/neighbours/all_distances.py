"""Search by all distances, some queries at a time, in float64: for metrics that the core has no bounds for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from typing import Any

import numpy as np

from mercer.data.arrays import is_sparse
from mercer.deadline import check_deadline
from mercer.errors import InputError
from mercer.kernels import Kernel
from mercer.neighbours.found import Exactness, Nearest, Within
from mercer.neighbours.own_units import mend_powers
from mercer.typing import Floats, Integers

__all__ = ["AllDistances", "by_callable", "by_kernel", "by_name", "by_object"]

#: From queries and rows to their distances.
Distances = Callable[[Any, Any], Floats]

# Metrics that SciPy computes from dense rows, by its names.
_BY_SCIPY = {
    "euclidean": "euclidean",
    "manhattan": "cityblock",
    "chebyshev": "chebyshev",
    "minkowski": "minkowski",
    "hamming": "hamming",
}
# Distances that are in memory at a time, of all threads.
_AT_ONCE = 1 << 21
# What each of them takes: it is computed, copied, compared, and the nearest are counted.
_BYTES = 48
# Calls of a Python function between two looks at the clock.
_CALLS = 1 << 10


class AllDistances:
    """Rows, and how far queries are from them.

    Parameters
    ----------
    X : {ndarray, CSR matrix}
        Rows.
    distances : callable
        From queries and rows to a matrix.
    told : str
        What the distances are.
    room : float
        Bytes that may be in use at a time.
    """

    def __init__(self, X: Any, distances: Distances, told: str, room: float = np.inf) -> None:
        self.X, self._distances, self._told = X, distances, told
        self._at_once = int(min(_AT_ONCE, room // _BYTES))

    @property
    def plan(self) -> str:
        some = "" if self._at_once == _AT_ONCE else f" No more than {max(self._at_once, self.X.shape[0])} at a time."
        return f"All distances in float64: {self._told}.{some}"

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        rows = np.full((Q.shape[0], k), -1, dtype=np.int64)
        distances = np.full((Q.shape[0], k), np.inf)

        def look(part: slice) -> None:
            apart = self._of(Q, part)
            keys = _leaving_out(_comparable(apart), np.inf, part, excluded, forgotten)
            count = min(k, apart.shape[1])
            found = _least(keys, count)
            is_none = np.isinf(np.take_along_axis(keys, found, axis=1))
            distances[part, :count] = np.where(is_none, np.inf, np.take_along_axis(apart, found, axis=1))
            rows[part, :count] = np.where(is_none, -1, found)

        self._for_each(Q, look, threads)
        return Nearest(rows, distances, self._exactness(Q))

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        parts = {}

        def look(part: slice) -> None:
            apart = self._of(Q, part)
            queries, found = np.nonzero(_leaving_out(apart <= radius, False, part, excluded, forgotten))
            parts[part.start] = (np.bincount(queries, minlength=apart.shape[0]), found, apart[queries, found])

        self._for_each(Q, look, threads)
        ordered = [parts[start] for start in sorted(parts)]
        counts = np.concatenate([np.zeros(1, dtype=np.int64), *(one[0] for one in ordered)])
        rows = np.concatenate([np.empty(0, dtype=np.int64), *(one[1] for one in ordered)])
        distances = np.concatenate([np.empty(0), *(one[2] for one in ordered)])
        return Within(np.cumsum(counts), rows, distances, self._exactness(Q))

    def _of(self, Q: Any, part: slice) -> Floats:
        return np.asarray(self._distances(Q[part], self.X), dtype=np.float64)

    def _for_each(self, Q: Any, look: Callable[[slice], None], threads: int) -> None:
        parts = list(self._parts(Q.shape[0], threads))

        def look_in_time(context: Context, part: slice) -> None:
            context.run(check_deadline)
            context.run(look, part)

        contexts = [copy_context() for _ in parts]  # threads have the deadline of who started them in no other way
        if threads == 1 or len(parts) < 2:
            list(map(look_in_time, contexts, parts))
            return
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(look_in_time, contexts, parts))

    def fitted(self, room: float) -> AllDistances:
        return AllDistances(self.X, self._distances, self._told, room)

    def _parts(self, queries: int, threads: int) -> Iterator[slice]:
        step = max(1, min(self._at_once // max(1, self.X.shape[0] * threads), -(-queries // threads)))
        return (slice(first, min(queries, first + step)) for first in range(0, queries, step))

    def _exactness(self, Q: Any) -> Exactness:
        pairs = Q.shape[0] * self.X.shape[0]
        return Exactness(pairs, pairs, pairs)


def _comparable(apart: Floats) -> Floats:
    """A copy in which rows without a distance, and those that are infinitely far, come after all others."""
    if np.isfinite(apart.max(initial=0.0)):
        return apart.copy()
    return np.where(np.isfinite(apart), apart, np.finfo(np.float64).max)


def _leaving_out(values: Any, nothing: Any, part: slice, excluded: Integers | None, forgotten: Any) -> Any:
    """The values with nothing, in place, where queries must not find a row."""
    if excluded is not None:
        queries = np.flatnonzero(excluded[part] >= 0)
        values[queries, excluded[part][queries]] = nothing
    if forgotten is not None:
        values[:, forgotten != 0] = nothing
    return values


def _least(apart: Floats, k: int) -> Integers:
    """The k nearest of each query, nearest first; of equal distances the lower number first."""
    if k < apart.shape[1]:
        kth = np.partition(apart, k - 1, axis=1)[:, k - 1 : k]
        # All that are nearer, and of those as far as the k-th the first ones.
        nearer, as_far = apart < kth, apart == kth
        room = k - nearer.sum(axis=1, keepdims=True)
        chosen = nearer | (as_far & (np.cumsum(as_far, axis=1) <= room))
        columns = np.nonzero(chosen)[1].reshape(len(apart), k)
    else:
        columns = np.broadcast_to(np.arange(apart.shape[1]), apart.shape)
    order = np.argsort(np.take_along_axis(apart, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)


def by_kernel(kernel: Kernel) -> Distances:
    """√(k(x, x) + k(z, z) − 2 k(x, z))."""

    def distances(Q: Any, X: Any) -> Floats:
        squared = kernel.diagonal(Q)[:, None] + kernel.diagonal(X) - 2 * kernel.matrix(Q, X)
        return np.asarray(np.sqrt(np.maximum(squared, 0.0)))

    return distances


def by_object(metric: Any) -> Distances:
    """One of scikit-learn's `DistanceMetric` objects."""

    def distances(Q: Any, X: Any) -> Floats:
        return np.asarray(metric.pairwise(Q, X), dtype=np.float64)

    return distances


def by_callable(metric: Callable[..., float], params: Mapping[str, Any]) -> Distances:
    """A function of two rows, called for each pair; sparse rows are given to it as they are."""

    def values_of(query: Any, rows: Any) -> list[float]:
        found: list[float] = []
        for first in range(0, len(rows), _CALLS):
            check_deadline()
            found += [metric(query, row, **params) for row in rows[first : first + _CALLS]]
        return found

    def distances(Q: Any, X: Any) -> Floats:
        queries, rows = ([part[[i]] for i in range(part.shape[0])] if is_sparse(part) else part for part in (Q, X))
        found = np.array([values_of(query, rows) for query in queries], dtype=np.float64)
        if not np.all(found >= 0):
            wrong = found[~(found >= 0)][0]
            raise InputError(f"metric: expected a function whose values are distances ≥ 0, got {wrong}.")
        return found

    return distances


def by_name(name: str, p: float, params: Mapping[str, Any]) -> Distances:
    """One of the usual metrics."""
    from scipy.spatial.distance import cdist  # they take long to import
    from sklearn.metrics import DistanceMetric, pairwise_distances

    options = {**params, **({"p": p} if name == "minkowski" else {})}

    def distances(Q: Any, X: Any) -> Floats:
        if name in _BY_SCIPY and not is_sparse(Q) and not is_sparse(X):
            found = np.asarray(cdist(Q, X, _BY_SCIPY[name], **options))
            return mend_powers(found, Q, X, **options) if name == "minkowski" else found
        if name == "braycurtis":  # as scikit-learn's neighbours have it; SciPy's adds features before it takes sizes
            return np.asarray(DistanceMetric.get_metric(name).pairwise(Q, X))
        return np.asarray(pairwise_distances(_with_short_indices(Q), _with_short_indices(X), metric=name, **options))

    return distances


def _with_short_indices(rows: Any) -> Any:
    """scikit-learn's distances of sparse rows take indices of 32 bits alone."""
    if not is_sparse(rows) or rows.indices.dtype == np.int32 or max(rows.nnz, rows.shape[1]) > np.iinfo(np.int32).max:
        return rows
    indices, begins = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return type(rows)((rows.data, indices, begins), shape=rows.shape)
