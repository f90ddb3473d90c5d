"""Search by the cosine distance: that of rows of length one is half their squared Euclidean distance."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Nearest, Within, together
from mercer.neighbours.parts import FittingSearch, RowParts, parts_of
from mercer.neighbours.search import Search
from mercer.neighbours.sparse import SparseIndex, cosine_distances
from mercer.typing import Integers

__all__ = ["CosineIndex"]

# Rows whose lengths are taken at a time.
_AT_ONCE = 1 << 12


class CosineIndex:
    """Dense rows. Those that are multiples of each other have distance zero, as far as their quotients are equal.

    A row of zeros has distance one from all: where there is one, or for queries that are, rows are taken as sparse,
    whose search knows of it.
    """

    def __init__(self, X: Any) -> None:
        self.X = X
        self._has_zeros = not np.all(np.any(X != 0, axis=1))

    @property
    def plan(self) -> str:
        return self._sparse.plan if self._has_zeros else f"Rows of length one. {self._index.plan}"

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        rows, squared, counts = np.empty((len(Q), k), dtype=np.int64), np.empty((len(Q), k)), []
        for search, part, queries in self._shares(Q):
            own = None if excluded is None else excluded[part]
            found = search.nearest(queries, k, threads, own, forgotten)
            assert found.squared is not None
            rows[part], squared[part] = found.rows, found.squared
            counts.append(found.exactness)
        return Nearest(rows, cosine_distances(squared), together(counts), squared)

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        if self._has_zeros or not np.all(np.any(Q != 0, axis=1)):
            return self._sparse.within(sp.csr_matrix(Q), radius, threads, excluded, forgotten)
        found = self._index.within(_of_length_one(Q), np.sqrt(2 * radius), threads, excluded, forgotten)
        return found._replace(distances=cosine_distances(found.distances**2))

    def _shares(self, Q: Any) -> list[tuple[Search, Any, Any]]:
        """Searches with the queries that are theirs, and these as they take them."""
        is_sparse = ~np.any(Q != 0, axis=1) | self._has_zeros
        shares: list[tuple[Search, Any, Any]] = []
        if not is_sparse.all():
            shares.append((self._index, ~is_sparse, _of_length_one(Q[~is_sparse])))
        if is_sparse.any() or not shares:
            shares.append((self._sparse, is_sparse, sp.csr_matrix(Q[is_sparse])))
        return shares

    @cached_property
    def _index(self) -> EuclideanIndex:
        return EuclideanIndex(_of_length_one(self.X))

    @cached_property
    def _sparse(self) -> SparseIndex:
        return SparseIndex(sp.csr_matrix(self.X), by_cosine=True)

    @property
    def bytes(self) -> int:
        """Rows of length one, and their index at most."""
        n, d = self.X.shape
        return int(n * (8 * d + 8 * d + 32))

    @property
    def bytes_per_query(self) -> int:
        return int(12 * self.X.shape[1] + 4)

    def fitted(self, room: float) -> Search:
        return FittingSearch(self, lambda: RowParts(self.X, CosineIndex, room), room)


def _of_length_one(X: Any) -> Any:
    found = np.empty(X.shape)  # lengths of float32 would round away what tells near rows apart
    for part in parts_of(len(X), _AT_ONCE):
        # Squares must not overflow; and quotients, but not products with the inverse, are the same for multiples.
        scaled = np.asarray(X[part], dtype=np.float64) / np.abs(X[part]).max(axis=1, keepdims=True)
        found[part] = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return found
