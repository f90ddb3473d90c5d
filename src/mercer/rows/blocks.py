"""Kernel values in blocks of about a tenth of a second, between which somebody can be heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

from mercer.data import take_rows
from mercer.errors import kernel_overflow
from mercer.kernels import Kernel, ValuesFrom
from mercer.typing import Floats, Integers

__all__ = ["WatchedValues"]

_SECONDS_PER_BLOCK = 0.1
# A function of Python may take seconds for one value; the core takes a millisecond for so many.
_FIRST_OF_PYTHON = 1
_FIRST_OF_THE_CORE = 65_536
# The second block is small as well: the first may have paid for what is done once.
_SECOND = 2
_GROWTH = 8
_MOST_VALUES = 4_000_000


class WatchedValues:
    """Asks a kernel for values block by block, as large as its speed so far allows, and calls `between` before each.

    A call may cost something of its own, which no size of the blocks changes. So what counts is how much longer a
    block takes than the quickest one did, by how many values more.
    """

    def __init__(self, kernel: Kernel, X: Any, between: Callable[[], None]) -> None:
        self._kernel = kernel
        self._X = X
        self._between = between
        self._size = _FIRST_OF_PYTHON if kernel.values_from is ValuesFrom.PYTHON else _FIRST_OF_THE_CORE
        self._quickest: tuple[float, int] | None = None
        self._a_value = 0.0

    def values(self, rows: Integers, columns: Integers | None = None) -> Floats:
        """The kernel values between some rows and others, or all."""
        return self._between_rows(take_rows(self._X, rows), self._X if columns is None else take_rows(self._X, columns))

    def _between_rows(self, X: Any, Z: Any) -> Floats:
        out = np.empty((X.shape[0], Z.shape[0]))
        for rows, columns in self._blocks(*out.shape):
            self._between()
            began = perf_counter()
            block = self._kernel.matrix(X[rows], Z[columns])
            self._learn(block.size, perf_counter() - began)
            if not np.all(np.isfinite(block)):
                raise kernel_overflow(self._kernel)
            out[rows, columns] = block
        return out

    def _blocks(self, n: int, m: int) -> Iterator[tuple[slice, slice]]:
        """Whole rows where they are short enough, else pieces of one."""
        row = 0
        while row < n:
            count = self._size // max(1, m)
            if count > 0:
                last = min(n, row + count)
                yield slice(row, last), slice(0, m)
                row = last
                continue
            column = 0
            while column < m:
                end = min(m, column + self._size)
                yield slice(row, row + 1), slice(column, end)
                column = end
            row += 1

    def _learn(self, size: int, seconds: float) -> None:
        """Chooses the size of the next block. What is left at the end of a row tells nothing, unless it is slow."""
        if 2 * size < self._size and seconds <= _SECONDS_PER_BLOCK:
            return
        if self._quickest is None:
            self._quickest = seconds, size
            self._size = _SECOND * size
            return
        least, fewest = self._quickest
        if size > fewest:
            self._a_value = max(0.0, seconds - least) / (size - fewest)
        elif seconds > least + _SECONDS_PER_BLOCK:
            self._a_value = seconds / size  # it has become slow
        self._quickest = min(self._quickest, (seconds, size))
        by_speed = _SECONDS_PER_BLOCK / self._a_value if self._a_value > 0 else np.inf
        self._size = int(min(max(1.0, by_speed), _GROWTH * size, _MOST_VALUES))
