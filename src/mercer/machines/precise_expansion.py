"""Σ_j c_j k(x_j, x) in twice the precision of float64, rounded once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer._runtime import core
from mercer.data import is_sparse
from mercer.kernels import Kernel, Linear
from mercer.machines.expansion import Expansion, Segment
from mercer.typing import Floats

__all__ = ["PreciseExpansion"]

# Queries are laid out densely, and kernel values from Python asked for, this many numbers at a time.
_NUMBERS_A_BLOCK = 4_000_000


class PreciseExpansion(Expansion):
    """An expansion whose terms cancel to less than float64 tells of them.

    `low` has what float64 leaves of the coefficients, one row an output. The linear kernel goes through its weights.
    """

    def __init__(
        self, kernel: Kernel, centres: Any, segments: tuple[Segment, ...], outputs: int, low: Floats | None = None
    ) -> None:
        super().__init__(kernel, centres, segments, outputs)
        self.low = low

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
        high, low = self._by_output
        if lowered is None:
            K = X[:, self.centres] if self.kernel.is_pairwise else self.kernel.matrix(X, self.centres)
            K = np.ascontiguousarray(K, dtype=np.float64)
            columns = [core.twofold_sums(K, *one) for one in zip(high, low, strict=True)]
        else:
            queries, centres = _dense(X), self._dense_centres
            columns = [
                core.twofold_expansion(lowered, centres, *one, queries, threads) for one in zip(high, low, strict=True)
            ]
        return np.stack(columns, axis=1)

    @cached_property
    def _dense_centres(self) -> Floats:
        return _dense(self.centres)

    @cached_property
    def _by_output(self) -> tuple[Floats, Floats]:
        """The coefficients of all centres, one row an output, and what float64 leaves of them."""
        count = len(self.centres) if self.kernel.is_pairwise else self.centres.shape[0]
        high = np.zeros((self.outputs, count))
        for part in self.segments:
            high[part.output, part.first : part.last] += part.coef
        return high, np.zeros_like(high) if self.low is None else np.ascontiguousarray(self.low)

    @cached_property
    def weights(self) -> Floats:
        pairs = zip(*self._by_output, strict=True)
        return np.stack([core.twofold_sum_of_rows(self._dense_centres, *one) for one in pairs])


def _dense(X: Any) -> Floats:
    return np.ascontiguousarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
