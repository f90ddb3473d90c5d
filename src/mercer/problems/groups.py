"""Several independent problems side by side: their rows stand in consecutive runs; sums and extremes go run by run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from mercer.typing import Booleans, Floats, Integers

__all__ = ["Groups"]


class Groups:
    """Runs of rows, none of them empty, of the given sizes, and the numbers of their first rows."""

    def __init__(self, sizes: Sequence[int]) -> None:
        ends = list(accumulate(sizes, initial=0))
        self.runs = tuple(map(slice, ends[:-1], ends[1:]))
        self.starts: Integers = np.array(ends[:-1])
        self.sizes: Integers = np.array(sizes)

    @classmethod
    def of(cls, arrays: Sequence[Any]) -> Groups:
        """Runs as long as the arrays."""
        return cls([len(array) for array in arrays])

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def rows(self) -> int:
        """How many they have together."""
        return self.runs[-1].stop

    def sum(self, values: Floats) -> Floats:
        return np.add.reduceat(values, self.starts)

    def count(self, mask: Booleans) -> Floats:
        return np.add.reduceat(mask, self.starts, dtype=np.float64)

    def max(self, values: Floats, where: Booleans | bool = True, initial: float = -np.inf) -> Floats:
        return np.maximum.reduceat(np.where(where, values, initial), self.starts)

    def min(self, values: Floats, where: Booleans | bool = True, initial: float = np.inf) -> Floats:
        return np.minimum.reduceat(np.where(where, values, initial), self.starts)

    def spread(self, values: Floats) -> Floats:
        """One value a group, repeated for each of its rows."""
        return values.repeat(self.sizes)

    def split(self, values: Floats) -> list[Floats]:
        """The rows of each group."""
        return [values[run] for run in self.runs]
