"""Σ_j c_j k(x_j, x) at new rows: the sum that every kernel machine is made of, for one or several outputs.

As training rows do, expansions of all kinds answer alike: centres of features against which the core computes values,
the linear kernel through weights, columns of a matrix of kernel values, centres for a Python function. Each stands in
the file of its kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.data import is_sparse
from mercer.errors import kernel_overflow
from mercer.kernels import Kernel
from mercer.rows.rows import Precision
from mercer.typing import Floats

__all__ = ["Expansion", "PythonExpansion", "Segment", "dense", "in_blocks"]

# Values of a kernel from Python, and features in float64, are taken this many at a time.
_VALUES_PER_BLOCK = 4_000_000


class Segment(NamedTuple):
    """The centres first … last − 1 contribute to one output, with these coefficients."""

    output: int
    first: int
    last: int
    coef: Floats


class Expansion(ABC):
    """Centres under a kernel with their coefficients, prepared once for any number of queries.

    Parameters
    ----------
    kernel : Kernel
        With every parameter a number.
    centres : {ndarray, CSR matrix}
        One row a centre; where queries hold kernel values, the numbers of the columns that belong to the centres.
    segments : tuple of Segment
        Which centres contribute to which output, and with which coefficients.
    outputs : int
        How many there are.
    low : ndarray, optional
        What float64 leaves of the coefficients, one row an output, where that matters.
    """

    #: Whether the core computes values, in float32 as well.
    has_float32: ClassVar[bool] = False
    #: Whether queries hold features, dense or sparse, and machines keep those of their support vectors.
    takes_features: ClassVar[bool] = True

    def __init__(
        self, kernel: Kernel, centres: Any, segments: tuple[Segment, ...], outputs: int, low: Floats | None = None
    ) -> None:
        self.kernel = kernel
        self.centres = centres
        self.segments = segments
        self.outputs = outputs
        self.low = low

    @staticmethod
    def centres_of(support: Any, vectors: Any) -> Any:
        """The centres of a machine with these support vectors, whose numbers among the training rows are `support`."""
        return vectors

    @property
    def is_dense(self) -> bool:
        """Whether sparse queries are refused, as in scikit-learn: they would be of another kind than the centres."""
        return False

    def as_in_fit(self, X: Any) -> Any:
        """Queries in the form in which the kernel saw the training rows."""
        return X

    @abstractmethod
    def __call__(self, X: Any, threads: int, dtype: Precision = np.float64) -> Floats:
        """The sums at every row of X, shape (rows, outputs), in float64; kernel values in `dtype` where computed."""

    @abstractmethod
    def precise(self, X: Any, threads: int) -> Floats:
        """The same in twice the precision of float64, rounded once: terms may cancel to less than float64 tells."""

    @abstractmethod
    def values(self, X: Any) -> Floats:
        """k(x, x_j) for every row x of X and centre x_j, in float64."""

    def at_centres(self, gram: Any, threads: int) -> Floats:
        """The sums at the centres themselves; where X holds kernel values, from those between the training rows."""
        return self(self.centres.copy(), threads)

    @property
    def weights(self) -> Floats | None:
        """The weights of the features, one row an output; None where the kernel is not linear."""
        return None

    @cached_property
    def _by_output(self) -> list[tuple[Floats, Floats]]:
        """The coefficients of all centres and what float64 leaves of them, for each output."""
        high = np.zeros((self.outputs, self.centres.shape[0]))
        for part in self.segments:
            high[part.output, part.first : part.last] += part.coef
        low = np.zeros_like(high) if self.low is None else np.ascontiguousarray(self.low)
        return list(zip(high, low, strict=True))

    def _finite(self, values: Floats) -> Floats:
        if not np.all(np.isfinite(values)):
            raise kernel_overflow(self.kernel)
        return values


class PythonExpansion(Expansion):
    """Values come from a Python function, or from the queries themselves."""

    @abstractmethod
    def _asked(self, X: Any) -> Any:
        """k(x, x_j) for some queries."""

    def __call__(self, X: Any, threads: int, dtype: Precision = np.float64) -> Floats:
        out = np.zeros((X.shape[0], self.outputs))
        if self.centres.shape[0] == 0:
            return out  # a function may not expect to be asked for nothing
        first = 0
        for block in in_blocks(X, self.centres.shape[0]):
            K, last = self._asked(block), first + block.shape[0]
            for part in self.segments:
                out[first:last, part.output] += K[:, part.first : part.last] @ part.coef
            first = last
        return self._finite(out)

    def precise(self, X: Any, threads: int) -> Floats:
        sums: list[Floats] = [np.zeros((0, self.outputs))]
        for block in in_blocks(X, X.shape[1]):
            K = np.ascontiguousarray(self._asked(block), dtype=np.float64)
            sums.append(np.stack([core.twofold_sums(K, *one) for one in self._by_output], axis=1))
        return self._finite(np.concatenate(sums))

    def values(self, X: Any) -> Floats:
        return self._finite(np.asarray(self._asked(X), dtype=np.float64))


def in_blocks(X: Any, width: int) -> Iterator[Any]:
    """Some rows of X after the other: as many as have a few million numbers, where each has so many."""
    step = max(1, _VALUES_PER_BLOCK // max(1, width))
    for first in range(0, X.shape[0], step):
        yield X[first : first + step]


def dense(X: Any) -> Floats:
    """The rows as a dense matrix of float64."""
    return np.ascontiguousarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
