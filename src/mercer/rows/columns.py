"""Some columns of the kernel matrix: values between all rows and some landmarks, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.data import as_core_data, core_ready, is_sparse
from mercer.errors import kernel_overflow
from mercer.rows.kinds import rows_of
from mercer.rows.rows import Rows
from mercer.typing import Floats, Integers

__all__ = ["KernelColumns", "Landmarks"]

# Values of a block: some 30 MB, and about a tenth of a second of what is made of them.
_VALUES_PER_BLOCK = 4_000_000


class Landmarks(NamedTuple):
    """Rows that stand for all, and where they are among the training rows; None where they are none of these."""

    vectors: Any
    places: Integers | None

    def __len__(self) -> int:
        return int(self.vectors.shape[0]) if self.places is None else len(self.places)


class KernelColumns:
    """k between rows and landmarks, in float64. Values that are asked of Python are kept where they fit `most` bytes.

    The others are made anew by whoever goes through them: the core makes them about as fast as memory reads them.
    """

    def __init__(self, rows: Rows, landmarks: Landmarks, threads: int, most: int = 0) -> None:
        self.rows = rows
        self.landmarks = landmarks
        self.threads = threads
        self._is_kept = not rows.is_computed and not rows.kernel.is_pairwise and 8 * len(rows) * len(landmarks) <= most
        self._kept: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.landmarks)

    @cached_property
    def among(self) -> Floats:
        """The values among the landmarks."""
        places = self.landmarks.places
        if self.rows.kernel.is_pairwise:
            return self.rows.values(np.asarray(places))
        return self._values(self.landmarks.vectors)

    @cached_property
    def magnitude(self) -> Floats:
        """One number m a landmark with |k(z, x)| no larger than it times that of the row x."""
        if self.landmarks.places is not None:
            return self.rows.magnitude[self.landmarks.places]
        return rows_of(self.rows.kernel, self.landmarks.vectors).magnitude

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Some rows after the other: which they are, and their values."""
        step = max(1, _VALUES_PER_BLOCK // max(1, self.width))
        for first in range(0, len(self), step):
            block = slice(first, min(first + step, len(self)))
            yield block, self._block(block)

    def _block(self, block: slice) -> Floats:
        if block.start in self._kept:
            return self._kept[block.start]
        X = self.rows.X[block]
        places = self.landmarks.places
        values = np.asarray(X[:, places], dtype=np.float64) if self.rows.kernel.is_pairwise else self._values(X)
        if self._is_kept:
            self._kept[block.start] = values
        return values

    def _values(self, X: Any) -> Floats:
        kernel = self.rows.kernel
        try:
            if self._centres is None:
                values = np.asarray(kernel.matrix(X, self.landmarks.vectors), dtype=np.float64)
            else:
                values = self._centres.matrix(as_core_data(core_ready(X)), self.threads)
        except OverflowError:
            raise kernel_overflow(kernel) from None
        if not np.all(np.isfinite(values)):
            raise kernel_overflow(kernel)
        return values

    @cached_property
    def _centres(self) -> core.Centres64 | None:
        lowered = self.rows.kernel.lower()
        vectors = self.landmarks.vectors
        if lowered is None:
            return None
        assert is_sparse(vectors) == is_sparse(self.rows.X)
        return core.Centres64(lowered, as_core_data(core_ready(vectors)))
