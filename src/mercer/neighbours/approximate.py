"""Approximate search through faiss: a graph of near rows gives candidates, which distances in float64 rank again."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer._runtime import available_threads
from mercer.deadline import check_deadline
from mercer.errors import ParameterError, missing_package
from mercer.neighbours.all_distances import AllDistances, by_name
from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Exactness, Nearest, Within
from mercer.neighbours.parts import FittingSearch
from mercer.neighbours.search import Search
from mercer.typing import Floats, Integers

__all__ = ["ApproximateIndex"]

# Links of each row in the graph, as faiss recommends; candidates for each neighbour that is asked for, and besides.
_LINKS = 32
_CANDIDATES_PER_NEIGHBOUR = 4
_MORE_CANDIDATES = 16
# How many more rows than candidates are looked at on the way.
_LOOKED_AT = 2
# Queries on which the share of neighbours that are found is measured.
_MEASURED = 32
# Candidates that are ranked at a time, and rows that the graph learns at a time.
_AT_ONCE = 1 << 16
_ADDED_AT_ONCE = 1 << 9


class ApproximateIndex:
    """Dense rows by Euclidean distance. What is found are rows and their distances; nearer rows may be missing.

    Parameters
    ----------
    X : ndarray of shape (rows, features)
        Finite.
    """

    def __init__(self, X: Any) -> None:
        self.X = X
        #: The share of the nearest rows of some queries that was found; NaN before anything was asked for.
        self.recall = np.nan
        _faiss()

    @property
    def plan(self) -> str:
        told = "Approximately, by a graph of near rows (faiss, HNSW) whose candidates are ranked in float64."
        if np.isfinite(self.recall):
            told += f" Of the neighbours of {_MEASURED} queries at most, {100 * self.recall:.1f} % were found."
        return told

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        found = self._ranked(Q, k, threads, excluded, forgotten)
        self._measure(Q, found, k, threads, excluded, forgotten)
        return found

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        raise ParameterError(
            "algorithm='hnsw': expected a number of neighbours to look for, got a radius. Set algorithm='auto'."
        )

    @property
    def bytes(self) -> int:
        """Rows in float32, links of two directions, and a part of the rows as it is made."""
        n, d = self.X.shape
        return int(n * (4 * d + 8 * _LINKS + 24))

    @property
    def bytes_per_query(self) -> int:
        return int(4 * self.X.shape[1])

    def fitted(self, room: float) -> Search:
        return FittingSearch(self, lambda: EuclideanIndex(self.X).fitted(room), room)

    def _ranked(self, Q: Any, k: int, threads: int, excluded: Integers | None, forgotten: Any) -> Nearest:
        n = len(self.X)
        count = min(n, _CANDIDATES_PER_NEIGHBOUR * k + _MORE_CANDIDATES)
        faiss = _faiss()
        faiss.omp_set_num_threads(threads)
        self._graph.hnsw.efSearch = _LOOKED_AT * count
        rows, distances = np.full((len(Q), k), -1, dtype=np.int64), np.full((len(Q), k), np.inf)
        step = max(1, _AT_ONCE // count)
        for first in range(0, len(Q), step):
            check_deadline()
            part = slice(first, first + step)
            _, near = self._graph.search(self._centred(Q[part]), count)
            apart = self._distances(Q[part], near)
            apart[near < 0] = np.inf
            if excluded is not None:
                apart[near == excluded[part, None]] = np.inf
            if forgotten is not None:
                apart[forgotten[near] != 0] = np.inf
            order = np.lexsort((near, apart), axis=1)[:, :k]
            distances[part, : order.shape[1]] = np.take_along_axis(apart, order, axis=1)
            rows[part, : order.shape[1]] = np.take_along_axis(near, order, axis=1)
        rows[np.isinf(distances)] = -1
        settled = len(Q) * count
        found = Nearest(rows, distances, Exactness(len(Q) * n, settled, settled, is_exact=False))
        return self._completed(found, Q, k, threads, excluded, forgotten)

    def _completed(self, found: Nearest, Q: Any, k: int, threads: int, excluded: Any, forgotten: Any) -> Nearest:
        """With all distances of queries that have too few candidates left."""
        left = 0 if forgotten is None else int(np.count_nonzero(forgotten))
        wanted = min(k, len(self.X) - left - (excluded is not None))
        short = np.flatnonzero((found.rows >= 0).sum(axis=1) < wanted)
        if len(short):
            own = None if excluded is None else excluded[short]
            whole = self._whole.nearest(Q[short], k, threads, own, forgotten)
            found.rows[short], found.distances[short] = whole.rows, whole.distances
        return found

    def _measure(self, Q: Any, found: Nearest, k: int, threads: int, excluded: Any, forgotten: Any) -> None:
        if np.isfinite(self.recall) or len(Q) == 0:
            return
        some = np.linspace(0, len(Q) - 1, min(len(Q), _MEASURED), dtype=np.int64)
        own = None if excluded is None else excluded[some]
        exact = self._whole.nearest(Q[some], k, threads, own, forgotten)
        # A row as near as the last is as good.
        self.recall = float(np.mean(found.distances[some] <= exact.distances[:, -1:]))

    def _distances(self, Q: Any, near: Integers) -> Floats:
        apart = self.X[near].astype(np.float64) - np.asarray(Q, dtype=np.float64)[:, None]
        return np.asarray(np.sqrt(np.einsum("qcd,qcd->qc", apart, apart)))

    @cached_property
    def _whole(self) -> AllDistances:
        return AllDistances(self.X, by_name("euclidean", 2, {}), "euclidean distances")

    @cached_property
    def _centre(self) -> Floats:
        return np.asarray(self.X.mean(axis=0, dtype=np.float64))

    def _centred(self, rows: Any) -> Any:
        """faiss computes in float32: around the middle less is lost."""
        return np.ascontiguousarray(rows - self._centre, dtype=np.float32)

    @cached_property
    def _graph(self) -> Any:
        faiss = _faiss()
        faiss.omp_set_num_threads(available_threads())
        graph = faiss.IndexHNSWFlat(self.X.shape[1], _LINKS)
        for first in range(0, len(self.X), _ADDED_AT_ONCE):
            check_deadline()
            graph.add(self._centred(self.X[first : first + _ADDED_AT_ONCE]))
        return graph


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise missing_package("algorithm='hnsw'", "faiss-cpu", "ann") from error
    return faiss
