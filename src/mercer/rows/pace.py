"""How many kernel values a Python function is asked for at once: so many that a deadline can be kept.

Nobody can stop somebody else's function while it runs. So it is asked for what takes it a twentieth of a second, by the
time that it took before, and the clock is looked at in between.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from mercer.data import take_rows
from mercer.kernels import Kernel
from mercer.typing import Floats

__all__ = ["OutOfTime", "Pace"]

# Seconds that a call is to take.
_SECONDS = 0.05
# Values of the first call and of the largest, and by how much more the next may be.
_FIRST = 256
_MOST = 4_000_000
_GROWTH = 8
# Rows among which all values are computed for the sake of the diagonal.
_MOST_SQUARE = 64
# Where a row takes this much longer than in the call before, fewer are taken, and the reverse.
_DEARER = 1.1


class OutOfTime(Exception):
    """The deadline came before the kernel values that were wanted."""


class Pace:
    """Asks a kernel for values, piece by piece, until `deadline` on the clock `perf_counter`.

    Where there is none, pieces are as large as memory likes them.
    """

    def __init__(self, deadline: float = np.inf) -> None:
        self.deadline = deadline
        self._values = _MOST if deadline == np.inf else _FIRST

    def rows(self, length: int) -> int:
        """How many rows of so many values to ask for at once."""
        return max(1, self._values // max(1, length))

    def add_values(self, kernel: Kernel, rows: Callable[[slice], Any], Z: Any, done: int, out: Floats) -> int:
        """Adds to the values between some rows and those of Z, of which the first `done` are there, in one call.

        Returns how many are there then: some whole rows more, or a part of one.
        """
        row, column = divmod(done, Z.shape[0])
        if column == 0 and self._values >= Z.shape[0]:
            part, columns = slice(row, min(row + self.rows(Z.shape[0]), len(out))), slice(0, Z.shape[0])
        else:
            part, columns = slice(row, row + 1), slice(column, min(column + self._values, Z.shape[0]))
            Z = take_rows(Z, np.arange(columns.start, columns.stop))
        began = perf_counter()
        out[part, columns] = kernel.matrix(rows(part), Z)
        self._learn((part.stop - part.start) * (columns.stop - columns.start), perf_counter() - began)
        return int((part.stop - 1) * out.shape[1] + columns.stop)

    def values(self, kernel: Kernel, X: Any, Z: Any, deadline: float | None = None) -> Floats:
        """All values between the rows of X and Z; by a deadline of their own, where one is given."""
        deadline = self.deadline if deadline is None else deadline
        size = X.shape[0] * Z.shape[0]
        if size <= self._values:  # one call, whose matrix need not be copied
            self._look_at_the_clock(deadline)
            began = perf_counter()
            values = kernel.matrix(X, Z)
            self._learn(size, perf_counter() - began)
            return values
        out = np.empty((X.shape[0], Z.shape[0]))
        done = 0
        while done < size:
            self._look_at_the_clock(deadline)
            done = self.add_values(kernel, lambda part: take_rows(X, np.arange(part.start, part.stop)), Z, done, out)
        return out

    def row_by_row(self, function: Callable[[Any], Floats], X: Any) -> Floats:
        """One number for each row of X, by a function of some rows that asks for the values among these.

        Calls have a cost of their own, and so have values that nobody needs: rows are taken together as long as that
        makes them cheaper.
        """
        if self.deadline == np.inf:
            return function(X)
        parts: list[Floats] = [np.zeros(0)]
        first, step, before = 0, 1, np.inf
        while first < X.shape[0]:
            self._look_at_the_clock(self.deadline)
            began, end = perf_counter(), min(first + step, X.shape[0])
            parts.append(function(take_rows(X, np.arange(first, end))))
            cost = (perf_counter() - began) / (end - first)
            if cost > _DEARER * before:
                step = max(1, step // 2)
            elif _DEARER * cost < before:
                step = min(_MOST_SQUARE, 2 * step)
            first, before = end, cost
        return np.concatenate(parts)

    def _learn(self, count: int, seconds: float) -> None:
        """Chooses the size of the next piece by the time that the last one took."""
        if self.deadline == np.inf:
            return
        likely = int(count * min(_GROWTH, _SECONDS / max(seconds, 1e-9)))
        enough = likely if seconds > _SECONDS else max(self._values, likely)
        self._values = max(1, min(enough, _MOST))

    @staticmethod
    def _look_at_the_clock(deadline: float) -> None:
        if perf_counter() >= deadline:
            raise OutOfTime
