"""A machine of one function: regression, and the support of a distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels import Kernel
from mercer.machines.expansion import Segment
from mercer.machines.machine import Machine, vectors_of
from mercer.typing import Floats, Integers

__all__ = ["SingleMachine"]


class SingleMachine(Machine):
    """f(x) = Σ_j c_j k(x_j, x) + intercept, its support vectors in the order of the training rows."""

    @classmethod
    def of_rows(cls, kernel: Kernel, X: Any, rows: Integers, coef: Floats, intercept: Floats) -> SingleMachine:
        """The machine with these coefficients at some rows of X, in any order."""
        full = np.zeros(X.shape[0])
        full[rows] = coef
        support = np.flatnonzero(full)
        return cls(
            kernel=kernel,
            n_features=X.shape[1],
            support=support.astype(np.int32),
            support_vectors=vectors_of(kernel, X, support),
            n_support=np.array([len(support)], dtype=np.int32),
            dual_coef=full[support][None],
            intercept=intercept.copy(),
        )

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {"n_support": (1,), "dual_coef": (1, len(self.support)), "intercept": (1,)}

    def _segments(self) -> list[Segment]:
        return [Segment(0, 0, len(self.support), self.dual_coef[0])]
