"""Rows under the linear kernel: sums of kernel values go through weights, one sum of rows for all targets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mercer._runtime import core
from mercer.data import is_sparse
from mercer.rows.expansion import in_blocks
from mercer.rows.features import FeatureExpansion, FeatureRows
from mercer.rows.rows import Precision
from mercer.typing import Floats, Integers

__all__ = ["LinearExpansion", "LinearRows"]


class LinearRows(FeatureRows):
    """The map of the kernel leaves rows as they are."""

    is_map_copied: ClassVar[bool] = False

    @cached_property
    def norms(self) -> Floats:
        """‖x‖ of every row; infinite, or NaN, where squares of its features leave float64."""
        return self.measured(threads=1)

    def measured(self, threads: int) -> Floats:
        """The norms, worked out by so many threads, and kept."""
        self.__dict__["norms"] = norms = np.sqrt(core.squared_norms(self.view, threads))
        return norms

    def expand(
        self,
        targets: Sequence[Integers],
        sources: Sequence[Integers],
        coefs: Sequence[Floats],
        threads: int,
        dtype: Precision = np.float64,
    ) -> list[Floats]:
        return [_through_weights(self.view, *one, threads) for one in zip(targets, sources, coefs, strict=True)]

    def products(self, coef: Floats, threads: int, dtype: Precision = np.float64) -> Floats:
        weights = np.zeros((coef.shape[1], self.X.shape[1]))
        for own, column in zip(weights, coef.T, strict=True):
            own += core.linear_sums(self.view, None, np.ascontiguousarray(column), threads)
        return _products(self.X, weights)


class LinearExpansion(FeatureExpansion):
    """Values at new rows go through the weights of the features."""

    has_float32: ClassVar[bool] = False

    def __call__(self, X: Any, threads: int, dtype: Precision = np.float64) -> Floats:
        return self._finite(_products(X, self.weights))

    def precise(self, X: Any, threads: int) -> Floats:
        return self._finite(_products(X, self.precise_weights))

    @cached_property
    def weights(self) -> Floats:
        weights = np.zeros((self.outputs, self.centres.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            for part in self.segments:
                weights[part.output] += part.coef @ self.centres[part.first : part.last]
        return weights

    @cached_property
    def precise_weights(self) -> Floats:
        return np.stack([core.twofold_sum_of_rows(self._dense_centres, *one) for one in self._by_output])


def _products(X: Any, weights: Floats) -> Floats:
    """X wᵀ for each row w of the weights, in float64."""
    if is_sparse(X):
        return np.asarray(X @ weights.T)
    out, first = np.empty((X.shape[0], len(weights))), 0
    with np.errstate(over="ignore", invalid="ignore"):
        for block in in_blocks(X, X.shape[1]):
            out[first : first + len(block)] = block.astype(np.float64, copy=False) @ weights.T
            first += len(block)
    return out


def _through_weights(data: core.Data, targets: Integers, sources: Integers, coef: Floats, threads: int) -> Floats:
    used = coef.nonzero()[0]
    if len(used) == 0 or len(targets) == 0:
        return np.zeros(len(targets))
    return core.linear_values(data, targets, core.linear_sums(data, sources[used], coef[used], threads), threads)
