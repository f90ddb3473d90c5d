"""A machine of one function: regression, and the support of a distribution."""

from __future__ import annotations

import numpy as np

from mercer.machines.kernel import KernelMachine
from mercer.rows import Rows, Segment
from mercer.typing import Floats, Integers

__all__ = ["SingleMachine"]


class SingleMachine(KernelMachine):
    """f(x) = Σ_j c_j k(x_j, x) + intercept, its support vectors in the order of the training rows."""

    kind = "one function"

    @classmethod
    def of_rows(cls, data: Rows, rows: Integers, coef: Floats, intercept: Floats) -> SingleMachine:
        """The machine with these coefficients at some of the training rows, in any order."""
        full = np.zeros(len(data))
        full[rows] = coef
        support = np.flatnonzero(full)
        return cls(
            kernel=data.kernel,
            n_features=data.X.shape[1],
            support=support.astype(np.int32),
            support_vectors=data.vectors(support),
            n_support=np.array([len(support)], dtype=np.int32),
            dual_coef=full[support][None],
            intercept=intercept.copy(),
        )

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {"n_support": (1,), "dual_coef": (1, len(self.support)), "intercept": (1,)}

    def _segments(self) -> list[Segment]:
        return [Segment(0, 0, len(self.support), self.dual_coef[0])]
