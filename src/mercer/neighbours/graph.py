"""Search in a sparse graph of distances that were given: rows that it does not hold are no neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.neighbours.found import Exactness, Nearest, Within
from mercer.typing import Floats, Integers

__all__ = ["GraphSearch"]


class GraphSearch:
    """Queries are rows of a CSR matrix of their distances from the training rows; zeros that it holds are distances."""

    def __init__(self, X: Any) -> None:
        self.X = X

    @property
    def plan(self) -> str:
        return "The graph of distances that was given, row by row."

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        graph = _checked(Q)
        needed = k if excluded is None else k + 1
        fewest = int(np.diff(graph.indptr).min(initial=needed))
        if fewest < needed:
            raise InputError(
                f"{needed} neighbors per samples are required, but some samples have only {fewest} neighbors in "
                "precomputed graph matrix. Decrease number of neighbors used or recompute the graph with more "
                "neighbors."
            )
        begins, rows, distances = _without(graph, excluded, forgotten)
        queries = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
        order = np.lexsort((rows, distances, queries))
        found = Nearest(np.full((len(begins) - 1, k), -1), np.full((len(begins) - 1, k), np.inf), _exactness(graph))
        places = np.arange(len(rows)) - begins[:-1][queries]
        kept = places < k
        found.rows[queries[kept], places[kept]] = rows[order][kept]
        found.distances[queries[kept], places[kept]] = distances[order][kept]
        return found

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        graph = _checked(Q)
        begins, rows, distances = _without(graph, excluded, forgotten)
        queries = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
        kept = distances <= radius
        counts = np.bincount(queries[kept], minlength=len(begins) - 1)
        order = np.lexsort((rows[kept], queries[kept]))
        ends = np.concatenate([[0], np.cumsum(counts)])
        return Within(ends, rows[kept][order], distances[kept][order], _exactness(graph))


def _checked(graph: Any) -> Any:
    if len(graph.data) and graph.data.min() < 0:
        raise InputError(
            "Negative values in data passed to precomputed distance matrix. Expected distances, which are not negative."
        )
    return graph


def _without(graph: Any, excluded: Integers | None, forgotten: Any) -> tuple[Integers, Integers, Floats]:
    """Where the entries of each query begin, their rows and distances, without those that it must not find."""
    n = graph.shape[0]
    queries, rows = np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices.astype(np.int64)
    kept = np.ones(len(rows), dtype=bool)
    if excluded is not None:
        kept &= excluded[queries] != rows
    if forgotten is not None:
        kept &= forgotten[rows] == 0
    begins = np.concatenate([[0], np.cumsum(np.bincount(queries[kept], minlength=n))])
    return begins, rows[kept], graph.data[kept].astype(np.float64)


def _exactness(graph: Any) -> Exactness:
    return Exactness(graph.nnz, graph.nnz, graph.nnz)
