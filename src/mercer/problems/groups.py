"""Several independent problems side by side: their rows stand in consecutive runs; sums and extremes go run by run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer.typing import Booleans, Floats, Integers

__all__ = ["Groups"]


@dataclass(frozen=True)
class Groups:
    """Runs of rows with the given sizes, none of them empty."""

    sizes: Integers

    @classmethod
    def of(cls, arrays: Sequence[Any]) -> Groups:
        return cls(np.array([len(array) for array in arrays], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def starts(self) -> Integers:
        return np.cumsum(self.sizes) - self.sizes

    def sum(self, values: Floats) -> Floats:
        return np.add.reduceat(values, self.starts)

    def count(self, mask: Booleans) -> Integers:
        return np.add.reduceat(mask.astype(np.int64), self.starts)

    def max(self, values: Floats, where: Booleans | bool = True, initial: float = -np.inf) -> Floats:
        return np.maximum.reduceat(np.where(where, values, initial), self.starts)

    def min(self, values: Floats, where: Booleans | bool = True, initial: float = np.inf) -> Floats:
        return np.minimum.reduceat(np.where(where, values, initial), self.starts)

    def spread(self, values: Floats) -> Floats:
        """One value a group, repeated for each of its rows."""
        return np.repeat(values, self.sizes)

    def split(self, values: Floats) -> list[Floats]:
        """The rows of each group."""
        return [values[start : start + size] for start, size in zip(self.starts, self.sizes, strict=True)]
