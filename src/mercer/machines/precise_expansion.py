"""Σ_j c_j k(x_j, x) in twice the precision of float64, rounded once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.data import is_sparse
from mercer.kernels import Linear
from mercer.machines.expansion import Expansion
from mercer.typing import Floats

__all__ = ["PreciseExpansion"]

# Queries are laid out densely, and kernel values from Python asked for, this many numbers at a time.
_NUMBERS_A_BLOCK = 4_000_000


class PreciseExpansion(Expansion):
    """An expansion whose terms cancel to less than float64 tells of them; that of a linear kernel has weights."""

    def __call__(self, X: Any, threads: int, dtype: type = np.float64) -> Floats:
        if isinstance(self.kernel, Linear):
            return self._finite(self._through_weights(X))
        out = np.zeros((X.shape[0], self.outputs))
        step = max(1, _NUMBERS_A_BLOCK // max(1, X.shape[1]))
        for first in range(0, X.shape[0], step):
            out[first : first + step] = self._sums(X[first : first + step], threads)
        return self._finite(out)

    def _sums(self, X: Any, threads: int) -> Floats:
        lowered = self.kernel.lower()
        out = np.zeros((X.shape[0], self.outputs))
        if lowered is None:
            K = X[:, self.centres] if self.kernel.is_pairwise else self.kernel.matrix(X, self.centres)
            K = np.asarray(K, dtype=np.float64)
            for part in self.segments:
                values = np.ascontiguousarray(K[:, part.first : part.last])
                out[:, part.output] += core.twofold_sums(values, np.ascontiguousarray(part.coef))
            return out
        queries, coefs = _dense(X), self._by_output
        for output, coef in enumerate(coefs):
            out[:, output] = core.twofold_expansion(lowered, self._dense_centres, coef, queries, threads)
        return out

    @cached_property
    def _dense_centres(self) -> Floats:
        return _dense(self.centres)

    @cached_property
    def _by_output(self) -> Floats:
        """The coefficients of all centres, one row an output."""
        coefs = np.zeros((self.outputs, self.centres.shape[0]))
        for part in self.segments:
            coefs[part.output, part.first : part.last] += part.coef
        return coefs

    @cached_property
    def weights(self) -> Floats:
        if self._given_weights is not None:
            return self._given_weights
        none = np.zeros(self.centres.shape[0])
        return np.stack([core.twofold_sum_of_rows(self._dense_centres, coef, none) for coef in self._by_output])


def _dense(X: Any) -> Floats:
    return np.ascontiguousarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
