"""The linear system of ridge regression, symmetric: A d + √v b = √v y with A = √v K √v + α and d = c / √v."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.rows import Precision, Rows
from mercer.typing import Floats

__all__ = ["System"]

# Rows of a sample by which the largest eigenvalue is told, and steps of the power method on it.
_SAMPLE = 512
_POWERS = 10


@dataclass(frozen=True, eq=False, repr=False)
class System:
    """Rows under a kernel, √v of each, and α."""

    rows: Rows
    roots: Floats
    alpha: float
    threads: int

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def is_weighted(self) -> bool:
        return bool(np.any(self.roots != 1.0))

    def products(self, d: Floats, dtype: Precision = np.float64) -> Floats:
        """A d for each column, with kernel values in `dtype`."""
        roots = self.roots[:, None]
        return roots * self.rows.products(roots * d, self.threads, dtype) + self.alpha * d

    def matrix(self, dtype: Precision) -> Any:
        """A, which the caller may overwrite."""
        A = self.rows.matrix(self.threads, dtype)
        if self.is_weighted:
            roots = self.roots.astype(dtype)
            A *= roots[:, None]
            A *= roots
        A.reshape(-1)[:: len(A) + 1] += np.asarray(self.alpha, dtype=dtype)
        return A

    def condition(self) -> float:
        """About what the largest eigenvalue is times the least that A can have, if the kernel is definite."""
        count = min(_SAMPLE, len(self))
        chosen = np.unique(np.linspace(0, len(self) - 1, count, dtype=np.int64))
        some = self.rows.values(chosen) * np.outer(self.roots[chosen], self.roots[chosen])
        vector = np.ones(len(chosen))
        for _ in range(_POWERS):
            vector = some @ vector
            size = float(np.linalg.norm(vector))
            if size == 0:
                return 1.0
            vector /= size
        largest = float(np.linalg.norm(some @ vector)) * len(self) / len(chosen)
        return (largest + self.alpha) / self.alpha if self.alpha > 0 else np.inf
