"""Rosenblatt's perceptron: a hyperplane learned from mistakes, through weights or through counts of mistakes.

Solves       find f with tᵢ f(xᵢ) > 0 for all rows, where f(x) = wᵀφ(x) + b
Given        a function that starts at zero, signs t, and the orders of the passes
Returns      the number of mistakes and of passes, and whether the last pass made none
Stops when   a pass makes no mistake, or the orders are used up
See          Rosenblatt 1958; Novikoff 1962 on the number of mistakes; Aizerman and others 1964 on kernels

At a mistake, tᵢ f(xᵢ) ≤ 0, the plane moves towards the row: w ← w + tᵢ φ(xᵢ) and b ← b + tᵢ. So w is Σ cᵢ φ(xᵢ) with cᵢ
the mistakes at row i times its sign, b is Σ cᵢ, and f(x) = Σ cᵢ (k(xᵢ, x) + 1) needs the kernel only.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from mercer.data import is_sparse, take_rows
from mercer.kernels import Kernel
from mercer.typing import Floats, Integers

__all__ = ["Learned", "Learner", "MistakeCounts", "learn_from_mistakes", "weights_for"]

# A row that was mistaken once is likely to be again; its kernel values are kept as long as all fit these 200 MB.
_CACHED_VALUES = 25_000_000


class Learner(Protocol):
    """A function on the training rows that can be told of a mistake."""

    def value(self, row: int) -> float:
        """f at a training row."""

    def correct(self, row: int, sign: float) -> None:
        """Moves f towards the sign at this row."""


class Learned(NamedTuple):
    """How the learning went."""

    mistakes: int
    passes: int
    separated: bool


def learn_from_mistakes(function: Learner, signs: Floats, orders: Iterable[Integers]) -> Learned:
    """Visits the rows, pass by pass in the given orders, and corrects the function at each mistake."""
    t = signs.tolist()
    mistakes = passes = 0
    for order in orders:
        before = mistakes
        for i in order.tolist():
            # So that NaN is a mistake as well.
            if not t[i] * function.value(i) > 0:
                function.correct(i, t[i])
                mistakes += 1
        passes += 1
        if mistakes == before:
            return Learned(mistakes, passes, separated=True)
    return Learned(mistakes, passes, separated=False)


class Weights:
    """f(x) = wᵀx + b by its weights: the primal form."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.w: Floats = np.zeros(X.shape[1])
        self.b = 0.0

    def value(self, row: int) -> float:
        return float(self.X[row] @ self.w) + self.b

    def correct(self, row: int, sign: float) -> None:
        self.w += sign * self.X[row]
        self.b += sign


class SparseWeights(Weights):
    """The same for rows in CSR, which touch the weights of their own columns only."""

    def value(self, row: int) -> float:
        columns, entries = self._row(row)
        return float(entries @ self.w[columns]) + self.b

    def correct(self, row: int, sign: float) -> None:
        columns, entries = self._row(row)
        self.w[columns] += sign * entries
        self.b += sign

    def _row(self, row: int) -> tuple[Integers, Floats]:
        inside = slice(self.X.indptr[row], self.X.indptr[row + 1])
        return self.X.indices[inside], self.X.data[inside]


def weights_for(X: Any) -> Weights:
    """Weights of zero for rows that are dense or CSR."""
    return SparseWeights(X) if is_sparse(X) else Weights(X)


class MistakeCounts:
    """f(x) = Σ cᵢ (k(xᵢ, x) + 1) by the signed counts c of mistakes: the kernelised form."""

    def __init__(self, kernel: Kernel, X: Any) -> None:
        n = X.shape[0]
        self.counts: Floats = np.zeros(n)
        self._values: Floats = np.zeros(n)  # == f at all training rows

        def kernel_row(row: int) -> Floats:
            values: Floats = kernel.matrix(take_rows(X, np.array([row])), X)[0]
            return values

        self._kernel_row = lru_cache(maxsize=max(1, _CACHED_VALUES // n))(kernel_row)

    def value(self, row: int) -> float:
        return float(self._values[row])

    def correct(self, row: int, sign: float) -> None:
        self.counts[row] += sign
        self._values += sign * (self._kernel_row(row) + 1.0)
