"""All α by a band: A = Q B Qᵀ with B block tridiagonal, so that B + α is factored in next to no time for each α.

Blocks of columns are reflected onto the band one after the other, by products of matrices alone. The diagonal of
(A + α)⁻¹ is that of Q (L Lᵀ)⁻¹ Qᵀ with the factor L of B + α, the squares of the columns of L⁻¹ Qᵀ. That takes 8/3 n³
multiplications and additions and a little for each α; eigenvectors would take some 9 n³, half of them at the pace of
memory.

See          Bischof, Lang and Sun, A framework for symmetric band reduction, ACM Trans. Math. Softw. 2000
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dgeqrf, dtrtri

from mercer.solvers.direct.threads import few_threads
from mercer.solvers.systems.blas import (
    add_product,
    add_symmetric_product,
    product,
    product_of_transposed,
    symmetric_times,
)
from mercer.solvers.systems.shifted import Shifted
from mercer.typing import Floats

__all__ = ["Band"]

# Columns of a block: narrower ones make the products slow, wider ones every α dear.
_WIDTH = 48
# Panels whose reflectors are applied together to make Q.
_PANELS_TOGETHER = 4
# Rows of Q that are taken through the factors of all α together: they stay in the second-level cache.
_ROWS_AT_ONCE = 256


class _Factors(NamedTuple):
    """Of B + α for every α, block by block: L⁻¹ on the diagonal, L below it, and both multiplied.

    Shapes are (blocks, alphas, width, width); `below` and `passed` have nothing for the first block.
    """

    inverse: Floats
    below: Floats
    passed: Floats


class Band(Shifted):
    """A turned into a band, in the place of A: R of each panel in it, and below it the reflectors that made it.

    Raises `LinAlgError` from `solve` and `diagonals` where A + α is not positive definite for all α.
    """

    def __init__(self, A: Floats, roots: Floats, threads: int) -> None:
        self.roots = roots
        self.threads = threads
        self._A = A
        self._triangles: list[Floats] = []
        for first in range(_WIDTH, len(A), _WIDTH):
            self._reflect(first)

    def _reflect(self, first: int) -> None:
        """Turns the columns before `first` onto the band: A ← HᵀAH with H = I − V T Vᵀ, kept below the diagonal."""
        panel = self._A[first:, first - _WIDTH : first]
        found, tau, _, _ = dgeqrf(panel)
        panel[:] = found
        V = self._reflectors(first)
        T = _triangle(V, tau)
        self._triangles.append(T)

        rest = self._A[first:, first:]
        X = symmetric_times(rest, product(V, T))
        add_product(X, V, product_of_transposed(T, product_of_transposed(V, X)), -0.5)
        add_symmetric_product(rest, V, X, -1.0)

    def _reflectors(self, first: int) -> Floats:
        """V of the columns before `first`."""
        panel = self._A[first:, first - _WIDTH : first]
        V = np.tril(panel[:, : len(panel)], -1)
        V[np.diag_indices(V.shape[1])] = 1.0
        return np.asarray(V)

    @cached_property
    def _vectors(self) -> Floats:
        """Q: all reflectors, the last first, some panels together, as wide products are quicker."""
        Q, panels = np.eye(len(self._A)), self._backwards()
        for start in range(0, len(panels), _PANELS_TOGETHER):
            first, V, T = self._together(panels[start : start + _PANELS_TOGETHER][::-1])
            rest = Q[first:, first:]
            add_product(rest, V, product(T, product_of_transposed(V, rest)), -1.0)
        return Q

    def _together(self, panels: list[tuple[int, Floats]]) -> tuple[int, Floats, Floats]:
        """Where reflectors of neighbouring panels begin, and V and T of all of them: H₁H₂… = I − V T Vᵀ."""
        begin, count = panels[0][0], sum(len(T) for _, T in panels)
        V, T = np.zeros((len(self._A) - begin, count)), np.zeros((count, count))
        done = 0
        for first, own in panels:
            some = slice(done, done + len(own))
            V[first - begin :, some] = self._reflectors(first)
            T[some, some] = own
            if done > 0:
                cross = product_of_transposed(V[:, :done], V[:, some])
                T[:done, some] = -product(T[:done, :done], product(cross, own))
            done += len(own)
        return begin, V, T

    def _backwards(self) -> list[tuple[int, Floats]]:
        return [(_WIDTH * (k + 1), self._triangles[k]) for k in reversed(range(len(self._triangles)))]

    def _factors(self, alphas: Floats) -> _Factors:
        """Block by block, of all α together; the last block is filled up with ones on the diagonal."""
        n, count = len(self._A), len(alphas)
        blocks = -(-n // _WIDTH)
        inverse, below, passed = (np.zeros((blocks, count, _WIDTH, _WIDTH)) for _ in range(3))
        for k in range(blocks):
            rows = slice(k * _WIDTH, min((k + 1) * _WIDTH, n))
            size = rows.stop - rows.start
            own = np.eye(_WIDTH)
            own[:size, :size] = np.tril(self._A[rows, rows])
            own[:size, :size] += np.tril(own[:size, :size], -1).T
            shifted = own + alphas[:, None, None] * np.eye(_WIDTH)
            if k > 0:
                R = np.zeros((_WIDTH, _WIDTH))
                R[:size] = np.triu(self._A[rows, rows.start - _WIDTH : rows.start])
                below[k] = R @ inverse[k - 1].transpose(0, 2, 1)
                shifted -= below[k] @ below[k].transpose(0, 2, 1)
            inverse[k] = np.linalg.inv(np.linalg.cholesky(shifted))
            passed[k] = inverse[k] @ below[k]
        return _Factors(inverse, below, passed)

    def solve(self, columns: Floats, alphas: Floats) -> Floats:
        n, factors = len(self._A), self._factors(alphas)
        turned = columns.copy()
        for first, T in reversed(self._backwards()):
            V = self._reflectors(first)
            turned[first:] -= V @ (T.T @ (V.T @ turned[first:]))
        blocks = len(factors.inverse)
        found = np.zeros((blocks, len(alphas), _WIDTH, columns.shape[1]))
        filled = np.zeros((blocks * _WIDTH, columns.shape[1]))
        filled[:n] = turned
        for k in range(blocks):
            found[k] = factors.inverse[k] @ filled[k * _WIDTH : (k + 1) * _WIDTH]
            if k > 0:
                found[k] -= factors.passed[k] @ found[k - 1]
        for k in reversed(range(blocks)):
            if k + 1 < blocks:
                found[k] -= factors.below[k + 1].transpose(0, 2, 1) @ found[k + 1]
            found[k] = factors.inverse[k].transpose(0, 2, 1) @ found[k]
        solved = found.transpose(1, 0, 2, 3).reshape(len(alphas), blocks * _WIDTH, -1)[:, :n].copy()
        for first, T in self._backwards():
            V = self._reflectors(first)
            solved[:, first:] -= V @ (T @ (V.T @ solved[:, first:]))
        return np.asarray(solved)

    def diagonals(self, alphas: Floats) -> Floats:
        n, factors, Q = len(self._A), self._factors(alphas), self._vectors
        found = np.empty((len(alphas), n))

        def some(low: int) -> None:
            rows = slice(low, min(low + _ROWS_AT_ONCE, n))
            found[:, rows] = _squares(factors, Q[rows])

        with few_threads(n, 1), ThreadPoolExecutor(self.threads) as pool:
            for _ in pool.map(some, range(0, n, _ROWS_AT_ONCE)):
                pass
        return found


def _triangle(V: Floats, tau: Floats) -> Floats:
    """T with H = I − V T Vᵀ, of reflectors of which some, with tau = 0, are the identity."""
    T, moves = np.triu(product_of_transposed(V, V), 1), tau != 0
    T *= np.outer(moves, moves)
    T[np.diag_indices_from(T)] = 1 / np.where(moves, tau, 1.0)
    T = dtrtri(T)[0]
    T[np.diag_indices_from(T)] *= moves
    return np.ascontiguousarray(T)


def _squares(factors: _Factors, Q: Any) -> Floats:
    """‖L⁻¹ q‖² of some rows q of Q, for every α."""
    count, columns = factors.inverse.shape[1], np.ascontiguousarray(Q.T)
    before, total = np.zeros((count, _WIDTH, len(Q))), np.zeros((count, len(Q)))
    for k, (inverse, passed) in enumerate(zip(factors.inverse, factors.passed, strict=True)):
        given = columns[k * _WIDTH : (k + 1) * _WIDTH]
        size = len(given)
        now = (inverse[:, :, :size].reshape(-1, size) @ given).reshape(count, _WIDTH, -1)
        if k > 0:
            now -= passed @ before
        total += np.einsum("akq,akq->aq", now, now)
        before = now
    return total
