"""A machine of several functions on the same rows: regression with one or several targets."""

from __future__ import annotations

import numpy as np

from mercer.machines.kernel import KernelMachine
from mercer.rows import Rows, Segment
from mercer.typing import Floats

__all__ = ["SeveralMachine"]


class SeveralMachine(KernelMachine):
    """f_k(x) = Σ_j c_jk k(x_j, x) + intercept_k, with all training rows for support vectors."""

    kind = "several functions"

    @classmethod
    def of_rows(cls, data: Rows, coef: Floats, intercept: Floats) -> SeveralMachine:
        """The machine with these coefficients, one column a function, at all training rows."""
        every = np.arange(len(data), dtype=np.int32)
        return cls(
            kernel=data.kernel,
            n_features=data.X.shape[1],
            support=every,
            support_vectors=data.vectors(every),
            n_support=np.array([len(every)], dtype=np.int32),
            dual_coef=np.ascontiguousarray(coef.T),
            intercept=intercept.copy(),
        )

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        # Where these disagree, neither fits.
        functions = len(self.intercept) if len(self.intercept) == len(self.dual_coef) else -1
        return {"n_support": (1,), "dual_coef": (functions, len(self.support)), "intercept": (functions,)}

    def _segments(self) -> list[Segment]:
        return [Segment(k, 0, len(self.support), coef) for k, coef in enumerate(self.dual_coef)]
