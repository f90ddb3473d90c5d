"""Search by distances that were given: all of them, or a sparse graph, whose other rows are no neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.data.arrays import is_sparse
from mercer.errors import InputError
from mercer.neighbours.all_distances import AllDistances
from mercer.neighbours.found import Exactness, Nearest, Within
from mercer.typing import Floats, Integers

__all__ = ["GivenDistances"]


class GivenDistances:
    """Queries are rows of a matrix of their distances from the training rows; zeros that a CSR matrix holds count."""

    def __init__(self, X: Any, room: float = np.inf) -> None:
        self.X = _checked(X)
        self._all = AllDistances(X, lambda Q, X: np.asarray(Q, dtype=np.float64), "those that were given", room)

    @property
    def plan(self) -> str:
        return "The graph of distances that was given, row by row." if is_sparse(self.X) else self._all.plan

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        graph = _checked(Q)
        if not is_sparse(Q):
            return self._all.nearest(Q, k, threads, excluded, forgotten)
        needed = k if excluded is None else k + 1
        fewest = int(np.diff(graph.indptr).min(initial=needed))
        if fewest < needed:
            raise InputError(
                f"{needed} neighbors per samples are required, but some samples have only {fewest} neighbors in "
                "precomputed graph matrix. Decrease number of neighbors used or recompute the graph with more "
                "neighbors."
            )
        queries, rows, distances = _entries(graph, excluded, forgotten)
        order = np.lexsort((rows, distances, queries))
        rows, distances = rows[order], distances[order]  # queries ascend as they did
        places = np.arange(len(rows)) - np.searchsorted(queries, queries)
        kept = places < k
        shape = graph.shape[0], k
        found = Nearest(np.full(shape, -1, dtype=np.int64), np.full(shape, np.inf), _exactness(graph))
        found.rows[queries[kept], places[kept]] = rows[kept]
        found.distances[queries[kept], places[kept]] = distances[kept]
        return found

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        graph = _checked(Q)
        if not is_sparse(Q):
            return self._all.within(Q, radius, threads, excluded, forgotten)
        queries, rows, distances = _entries(graph, excluded, forgotten)
        kept = distances <= radius
        queries, rows, distances = queries[kept], rows[kept], distances[kept]
        begins = np.concatenate([[0], np.cumsum(np.bincount(queries, minlength=graph.shape[0]))])
        return Within(begins, rows, distances, _exactness(graph))

    def fitted(self, room: float) -> GivenDistances:
        return GivenDistances(self.X, room)


def _checked(graph: Any) -> Any:
    least = (graph.data if is_sparse(graph) else graph).min(initial=0.0)
    if least < 0:
        raise InputError(
            f"Negative values in data passed to precomputed distance matrix. Expected distances ≥ 0, got {least:.3g}."
        )
    return graph


def _entries(graph: Any, excluded: Integers | None, forgotten: Any) -> tuple[Integers, Integers, Floats]:
    """Queries, rows and distances in the order of the first two, without rows that a query must not find."""
    queries, rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr)), graph.indices.astype(np.int64)
    kept = np.ones(len(rows), dtype=bool)
    if excluded is not None:
        kept &= excluded[queries] != rows
    if forgotten is not None:
        kept &= forgotten[rows] == 0
    order = np.lexsort((rows[kept], queries[kept]))
    return queries[kept][order], rows[kept][order], graph.data[kept][order].astype(np.float64)


def _exactness(graph: Any) -> Exactness:
    return Exactness(graph.nnz, graph.nnz, graph.nnz)
