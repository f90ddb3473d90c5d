"""Σ_j c_j k(x_j, x): the sum that every machine is made of, for several outputs at once."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mercer._runtime import core
from mercer.data import as_core_data, take_rows
from mercer.errors import kernel_overflow
from mercer.kernels import Kernel, Linear
from mercer.typing import Floats

__all__ = ["Expansion", "Segment"]

# Centres at which float32 is compared with float64, and how far it may be off, relative to how far values lie apart.
_PROBES = 32
_COARSEST = 1e-3

# Values of a kernel from Python, and features in float64, are taken this many at a time.
_VALUES_A_BLOCK = 4_000_000


class Segment(NamedTuple):
    """The centres first … last − 1 contribute to one output, with these coefficients."""

    output: int
    first: int
    last: int
    coef: Floats


class Expansion:
    """Centres prepared once for any number of queries.

    For a precomputed kernel `centres` holds the columns of X that belong to the centres.
    """

    def __init__(self, kernel: Kernel, centres: Any, segments: tuple[Segment, ...], outputs: int) -> None:
        self.kernel = kernel
        self.centres = centres
        self.segments = segments
        self.outputs = outputs
        self._prepared: dict[str, core.Centres32 | core.Centres64] = {}

    def __call__(self, X: Any, threads: int, dtype: type = np.float64) -> Floats:
        """The sums at every row of X, shape (rows, outputs), in float64; kernel values in `dtype` where computed."""
        if self.kernel.lower() is None:
            return self._finite(self._from_python(X))
        if isinstance(self.kernel, Linear):
            return self._finite(self._through_weights(X))
        queries = as_core_data(X)
        if dtype is np.float32 and self._float32_tells:
            with suppress(OverflowError):
                values = self._centres(core.Centres32).evaluate(*self._task(queries, threads))
                if np.all(np.isfinite(values)):
                    return values
        # float64 has more room
        with suppress(OverflowError):
            return self._finite(self._centres(core.Centres64).evaluate(*self._task(queries, threads)))
        raise kernel_overflow(self.kernel)

    @cached_property
    def _float32_tells(self) -> bool:
        """Whether sums of float32 values differ by little from those of float64, at some of the centres.

        Large coefficients of either sign leave less of them than float32 has digits.
        """
        count = self.centres.shape[0]
        if count == 0:
            return True
        some = take_rows(self.centres, np.linspace(0, count - 1, min(count, _PROBES), dtype=np.int64))
        task = self._task(as_core_data(some), 1)
        try:
            coarse, fine = (self._centres(kind).evaluate(*task) for kind in (core.Centres32, core.Centres64))
        except OverflowError:
            return False
        with np.errstate(all="ignore"):
            spread = np.maximum(fine.std(axis=0), np.abs(fine - coarse).max(axis=0).min() if len(fine) == 1 else 0.0)
            return bool(np.all(np.abs(coarse - fine).max(axis=0) <= _COARSEST * spread))

    def _through_weights(self, X: Any) -> Floats:
        if sp.issparse(X):
            return np.asarray(X @ self.weights.T)
        out = np.empty((X.shape[0], self.outputs))
        step = max(1, _VALUES_A_BLOCK // max(1, X.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, X.shape[0], step):
                out[first : first + step] = X[first : first + step].astype(np.float64, copy=False) @ self.weights.T
        return out

    @cached_property
    def weights(self) -> Floats:
        """Of the linear kernel: the weights of the features, one row an output."""
        weights = np.zeros((self.outputs, self.centres.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            for part in self.segments:
                weights[part.output] += part.coef @ self.centres[part.first : part.last]
        return weights

    def _finite(self, values: Floats) -> Floats:
        if not np.all(np.isfinite(values)):
            raise kernel_overflow(self.kernel)
        return values

    def _task(self, queries: core.Data, threads: int) -> tuple[Any, ...]:
        segments = [(part.output, part.first, part.last) for part in self.segments]
        return queries, segments, self.outputs, self._coef, threads

    @cached_property
    def _coef(self) -> Floats:
        return np.concatenate([part.coef for part in self.segments]) if self.segments else np.empty(0)

    def _centres(self, kind: type[core.Centres32 | core.Centres64]) -> core.Centres32 | core.Centres64:
        if kind.__name__ not in self._prepared:
            lowered = self.kernel.lower()
            assert lowered is not None
            self._prepared[kind.__name__] = kind(lowered, as_core_data(self.centres))
        return self._prepared[kind.__name__]

    def _from_python(self, X: Any) -> Floats:
        count = len(self.centres) if self.kernel.is_pairwise else self.centres.shape[0]
        out = np.zeros((X.shape[0], self.outputs))
        if count == 0:
            return out  # a function may not expect to be asked for nothing
        step = max(1, _VALUES_A_BLOCK // count)
        for first in range(0, X.shape[0], step):
            block = X[first : first + step]
            K = block[:, self.centres] if self.kernel.is_pairwise else self.kernel.matrix(block, self.centres)
            for part in self.segments:
                out[first : first + step, part.output] += K[:, part.first : part.last] @ part.coef
        return out
